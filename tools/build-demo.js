import { build } from 'esbuild'

// Bundles the demo of `dossier demo` into one file, and beside it the module that its service loads first.
const source = 'examples/online-retail'
await build({
  entryPoints: [`${source}/demo.ts`, `${source}/stop-with-parent.ts`],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['cli-progress', 'zod'],
  outdir: 'dist/demo',
  logLevel: 'warning',
})
