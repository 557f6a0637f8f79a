// Builds the report page: one HTML file with its style and script, and a content policy that allows
// only these two. Usage: node build.mjs [--modules NODE_MODULES] [--output FILE] [--test FOLDER]
//
// --test builds the unit tests into FOLDER instead, for node --test.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const option = (name, otherwise) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const modules = resolve(option("--modules", join(here, "node_modules")));
const esbuild = createRequire(join(modules, "x.js"))("esbuild");

const common = {
  bundle: true,
  nodePaths: [modules],
  absWorkingDir: here,
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "ascii",
  legalComments: "none",
  write: false,
};

const tests = option("--test");
if (tests) {
  for (const name of readdirSync(join(here, "test")).filter((file) => file.endsWith(".test.ts"))) {
    const result = await esbuild.build({ ...common, entryPoints: [`test/${name}`], platform: "node", format: "esm" });
    writeFileSync(join(tests, name.replace(/\.ts$/, ".mjs")), result.outputFiles[0].text);
  }
} else {
  const bundle = await esbuild.build({
    ...common, entryPoints: ["src/main.tsx"], minify: true, format: "iife", target: ["chrome100", "firefox100", "safari16"],
  });
  const sheet = await esbuild.build({ ...common, entryPoints: ["src/style.css"], minify: true });
  // Nothing in the script may end the element that contains it.
  const script = bundle.outputFiles[0].text.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const style = sheet.outputFiles[0].text.trim();
  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
  const page = readFileSync(join(here, "src/page.html"), "utf8")
    .replace("{policy}", () => policy).replace("{style}", () => style).replace("{script}", () => script);
  writeFileSync(option("--output", join(here, "../share/report.html")), page);
  console.log(`${script.length} bytes of script, ${style.length} of style`);
}
