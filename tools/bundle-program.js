import { rmSync, symlinkSync } from 'node:fs'
import { build } from 'esbuild'

// Bundles the compiled programs and the service's threads into `.build/program`, for quick tests that start them
// repeatedly. Loading 1,300 files takes half of a start.
const source = '.build/src'
const append = `${source}/adapters/sqlite/event-store/append`
const programs = ['main', 'audit', 'copy', 'import', 'keys']
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
  // An optional native package, which cannot be bundled.
  external: ['@photostructure/sqlite'],
  // CommonJS packages call `require` for Node's own modules.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  outdir: '.build/program',
  entryNames: '[name]',
  logLevel: 'warning',
})

// The service serves the console from the folder beside its own folder.
rmSync('.build/console', { force: true })
symlinkSync('../dist/console', '.build/console')
