import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

// Builds the console into dist/console: its page, one script, one style sheet and an icon, each with a hash in its
// name. Writes each file plain and gzipped.
const folder = 'dist/console'
const { outputFiles } = await build({
  entryPoints: ['src/console/main.tsx'],
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: 'es2023',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  outdir: folder,
  logLevel: 'warning',
})

function named(end, contents = outputFiles.find(({ path }) => path.endsWith(end)).contents) {
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 12)
  return { name: `console-${hash}${end}`, contents }
}

const script = named('.js')
const style = named('.css')
const icon = named('.svg', await readFile('src/console/styles/icon.svg'))
const template = await readFile('src/console/page.html', 'utf8')
const page = template
  .replace('ICON', icon.name)
  .replace('STYLE', style.name)
  .replace('SCRIPT', script.name)
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
for (const { name, contents } of [
  script,
  style,
  icon,
  { name: 'index.html', contents: Buffer.from(page) },
]) {
  await writeFile(`${folder}/${name}`, contents)
  await writeFile(`${folder}/${name}.gz`, gzipSync(contents, { level: 9 }))
}
