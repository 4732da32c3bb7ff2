import { build } from 'esbuild'

/** Returns a page that runs the workload with the built client, and posts the outcome. */
export async function workloadPage(workload: object) {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "import { runWorkload } from './.build/test/support/client/workload.js'\n" +
        `const workload = { url: location.origin, ...${JSON.stringify(workload)} }\n` +
        'const outcome = await runWorkload(workload).catch((error) => ({ faults: [String(error)] }))\n' +
        // The proxy may cut the connection of this request, so the page repeats it.
        'for (let sent = false; !sent; ) {\n' +
        "  const reply = fetch('/outcome', { method: 'POST', body: JSON.stringify(outcome) })\n" +
        '  sent = await reply.then(({ ok }) => ok, () => false)\n' +
        '}\n',
      resolveDir: '.',
    },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'warning',
  })
  return {
    '/page': {
      type: 'text/html',
      text: '<!doctype html><script type="module" src="/workload.js"></script>',
    },
    '/workload.js': { type: 'text/javascript', text: outputFiles[0]?.text ?? '' },
  }
}
