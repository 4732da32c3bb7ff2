import { rmSync, symlinkSync } from 'node:fs'
import { build } from 'esbuild'

// Bundles the compiled service and its threads into `.build/program`, for the quick tests that start it
// again and again: half of a start's work is to load 1,300 files.
const adapters = '.build/src/adapters/sqlite/event-store/append'
const composition = '.build/src/composition'
await build({
  entryPoints: [
    '.build/src/main.js',
    `${composition}/read-thread.js`,
    `${composition}/preview-thread.js`,
    `${adapters}/writer-thread.js`,
    `${adapters}/checkpoint-thread.js`,
    '.build/src/adapters/sqlite/file/search-thread.js',
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
