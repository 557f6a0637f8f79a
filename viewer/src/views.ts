// A table of all views of the page, in the order of the tabs. A view is a module that exports a
// View, and a row here. A view without data is left out.
import type { View } from "./view.ts";
import { communication_view } from "./views/communication.tsx";
import { compare_view } from "./views/compare.tsx";
import { efficiency_view } from "./views/efficiency.tsx";
import { files_view } from "./views/files.tsx";
import { flame_view } from "./views/flame.tsx";
import { functions_view } from "./views/functions.tsx";
import { models_view } from "./views/models.tsx";
import { metrics_view, regions_view, sections_view, tasks_view } from "./views/tables.tsx";
import { memory_view } from "./views/memory.tsx";
import { waiting_view } from "./views/waiting.tsx";
import { overview_view } from "./views/overview.tsx";
import { over_time_view } from "./views/over_time.tsx";
import { ranks_view } from "./views/ranks.tsx";
import { sandwich_view } from "./views/sandwich.tsx";
import { scaling_view } from "./views/scaling.tsx";
import { sources_view } from "./views/sources.tsx";
import { threads_view } from "./views/threads.tsx";
import { timeline_view } from "./views/timeline.tsx";
import { waits_view } from "./views/waits.tsx";

export const views: View[] = [
  overview_view, efficiency_view, functions_view, flame_view, sandwich_view, ranks_view, communication_view, waits_view, threads_view,
  compare_view, scaling_view, models_view, timeline_view, sources_view, sections_view, tasks_view, waiting_view, memory_view, files_view, regions_view, metrics_view, over_time_view,
];
