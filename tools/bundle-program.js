import { rmSync, symlinkSync } from 'node:fs'
import { build } from 'esbuild'

// Bundles the compiled programs and the threads of the service into `.build/program`, for the quick tests that
// start them again and again: half of a start's work is to load 1,300 files.
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
  splitting: true,
  format: 'esm',
  platform: 'node',
  // A native package, which is optional.
  external: ['@photostructure/sqlite'],
  // CommonJS packages call `require` for the modules of Node.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  outdir: '.build/program',
  entryNames: '[name]',
  logLevel: 'warning',
})

// The service serves the console from the folder beside its own.
rmSync('.build/console', { force: true })
symlinkSync('../dist/console', '.build/console')
