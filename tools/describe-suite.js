import { init, parse } from 'es-module-lexer'

// Wraps a suite in a `describe` with the name of its file, so that its hooks do not affect other suites in the group.
// Line numbers stay the same, so that the source map stays correct.

/** @type {import('@jest/transform').AsyncTransformer} */
const describeSuite = {
  async processAsync(source, path) {
    await init
    const statements = parse(source)[0].filter(({ d: dynamic }) => dynamic === -1)
    // Imports must stay outside the `describe`.
    const imports = statements.map(({ ss: start, se: end }) => source.slice(start, end))
    let body = source
    for (const { ss: start, se: end } of statements) {
      const blank = source.slice(start, end).replace(/[^\n]/g, ' ')
      body = body.slice(0, start) + blank + body.slice(end)
    }
    const name = JSON.stringify(path.replace(/^.*\.build\/(.*)\.js$/, '$1.ts'))
    const head = [...imports, "import { describe as suite } from '@jest/globals'"].join('; ')
    return { code: `${head}; suite(${name}, () => {${body}\n})` }
  },
}
export default describeSuite
