import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// Makes the program of the tests' build: `.build/src` becomes `dist`. It is what `npm run build` writes,
// and the compiler has read and checked the sources once and not twice.
const built = join('.build', 'src')

for (const name of readdirSync(built, { recursive: true })) {
  if (!/\.(js|js\.map|d\.ts)$/.test(name)) continue
  const text = readFileSync(join(built, name), 'utf8')
  const target = join('dist', name)
  mkdirSync(dirname(target), { recursive: true })
  // One folder nearer to the sources.
  writeFileSync(
    target,
    name.endsWith('.map') ? text.replace('"sources":["../', '"sources":["') : text,
  )
}
