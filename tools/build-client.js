import { build } from 'esbuild'

// Bundles `dossier/client` into one file. The compiler writes its types beside it.
await build({
  entryPoints: ['src/client/dossier.ts'],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  outfile: 'dist/client/dossier.js',
  logLevel: 'warning',
})
