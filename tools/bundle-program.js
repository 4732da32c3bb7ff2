import { rmSync, symlinkSync } from 'node:fs'
import { build } from 'esbuild'

// Bundles the compiled programs and the service's threads into `.build/program`, for quick tests that start them
// repeatedly. Loading 1,300 files takes half of a start. The compiler of Node reads the whole bundle at each start, so
// the bundle is minified. Thorough tests start the readable files.
const source = '.build/src'
const append = `${source}/adapters/sqlite/event-store/append`
const programs = ['main', 'dossier']
await build({
  entryPoints: [
    ...programs.map((name) => `${source}/${name}.js`),
    `${source}/composition/read-thread.js`,
    `${source}/composition/preview-thread.js`,
    `${append}/writer-thread.js`,
    `${append}/checkpoint-thread.js`,
    `${source}/adapters/sqlite/file/search-process.js`,
  ],
  bundle: true,
  minify: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // The first package is native and optional. The CommonJS build of the second one cannot be bundled.
  external: ['@photostructure/sqlite', 'jsonc-parser'],
  // Defines `require`, which CommonJS packages call for the modules of Node. Turns off the compiler that optimises
  // functions, because a short run spends a fifth of its time in it.
  banner: {
    js: "import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--no-opt'); import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  outdir: '.build/program',
  entryNames: '[name]',
  logLevel: 'warning',
})

// The service serves the console, the client's package and the OpenAPI document from folders beside its own.
for (const folder of ['console', 'client-package', 'open-api']) {
  rmSync(`.build/${folder}`, { force: true })
  symlinkSync(`../dist/${folder}`, `.build/${folder}`)
}
