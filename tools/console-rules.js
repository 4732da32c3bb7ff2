// Lint rules of the console: what customers sent is shown as text, and nowhere does it become markup, an
// attribute or an address.

const rawHtml = new Set([
  'innerHTML',
  'outerHTML',
  'insertAdjacentHTML',
  'srcdoc',
  'dangerouslySetInnerHTML',
  'write',
  'writeln',
])
const addresses = new Set(['href', 'src', 'action', 'formAction', 'xlinkHref'])
/** Functions that escape every part of an address. */
const escaping = new Set(['addressOf', 'withQuery', 'factAddress', 'createObjectURL'])

const rule = (message, create) => ({
  meta: { type: 'problem' },
  create: (context) =>
    create((node) => {
      context.report({ node, message })
    }),
})

const nameOf = (node) => (node.type === 'MemberExpression' ? node.property.name : node.name)

/** A text that is written in the source, or what a function made that escapes it. */
function isSafe(node) {
  switch (node?.type) {
    case 'Literal':
      return true
    case 'JSXExpressionContainer':
      return isSafe(node.expression)
    case 'CallExpression':
      return escaping.has(nameOf(node.callee))
    case 'ConditionalExpression':
      return isSafe(node.consequent) && isSafe(node.alternate)
    default:
      return false
  }
}

export default {
  meta: { name: 'console' },
  rules: {
    'no-spread': rule('A spread could set any attribute: name them.', (report) => ({
      JSXSpreadAttribute: report,
    })),
    'no-raw-html': rule('Markup from text: show it as text.', (report) => ({
      JSXAttribute: (node) => {
        if (rawHtml.has(node.name.name)) report(node)
      },
      MemberExpression: (node) => {
        if (rawHtml.has(node.property.name)) report(node)
      },
    })),
    'escaped-addresses': rule('An address of data: make it with addressOf.', (report) => ({
      JSXAttribute: (node) => {
        if (addresses.has(node.name.name) && !isSafe(node.value)) report(node)
      },
      AssignmentExpression: ({ left, right }) => {
        if (left.type === 'MemberExpression' && addresses.has(left.property.name) && !isSafe(right))
          report(left)
      },
    })),
  },
}
