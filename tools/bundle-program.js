import { rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { build } from 'esbuild'

const require = createRequire(import.meta.url)

// Bundles the compiled programs and the service's threads into `.build/program`, for quick tests that start them
// repeatedly. Loading 1,300 files takes half of a start. The compiler of Node reads the whole bundle at each start, so
// the bundle is minified. Thorough tests start the readable files.
const source = '.build/src'
const append = `${source}/adapters/sqlite/event-store/append`
const programs = ['main', 'dossier']
/** Leaves out zod's messages in other languages, which are half of zod. */
const englishOnly = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /zod\Wv4\Wlocales\Windex\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
      resolveDir: dirname(require.resolve('zod/v4/locales')),
    }))
  },
}
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
  // The first package is native and optional. Fastify loads the other packages only for schemas and injected requests,
  // which the programs do not use.
  external: [
    '@photostructure/sqlite',
    ...['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'],
  ],
  // The CommonJS build of this package cannot be bundled.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  plugins: [englishOnly],
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
