// What a view of the page is, and what it is given to show.
import type { ComponentType } from "preact";
import type { Block } from "./blocks.ts";
import type { Profile } from "./model.ts";

export interface Report {
  profiles: Profile[];
  runs?: Block; // how several runs compare
  models: Block[]; // documents of scaling models
  trace?: Block;
  sources?: Block;
}
export interface ViewProps {
  report: Report;
  profile: Profile; // the one that was chosen
  views: readonly View[]; // those that are shown for it, in the order of the tabs
}
export interface View {
  id: string; // in the address
  title: string;
  help: string; // a sentence about what it shows
  exists: (report: Report, profile: Profile) => boolean;
  show: ComponentType<ViewProps>;
}
