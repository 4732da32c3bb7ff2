/**
 * Lint rules for the console. They make sure that customer data is only ever rendered as text.
 *
 * - `no-spread` forbids spreading an object onto an element, because a property of data could be an attribute of
 *   the element.
 * - `no-raw-html` forbids everything that parses text as markup.
 * - `no-raw-address` requires an address to be a literal, or the result of `addressOf`, `withQuery` or a function
 *   named `…Address` that returns such a result. These escape their arguments. Downloads use `URL.createObjectURL`.
 */
const makers = new Set(['addressOf', 'withQuery', 'createObjectURL'])
const takeMarkup = new Set([
  'dangerouslySetInnerHTML',
  'innerHTML',
  'outerHTML',
  'srcdoc',
  'srcDoc',
  'insertAdjacentHTML',
  'createContextualFragment',
  'write',
  'writeln',
])
const takeAddress = new Set(['href', 'src', 'action', 'formAction', 'xlinkHref', 'data', 'poster'])
const goElsewhere = new Set(['assign', 'replace', 'open'])

const nameOf = (node) => {
  if (node?.type === 'MemberExpression') return nameOf(node.property)
  return node?.type === 'Literal' ? String(node.value) : (node?.name ?? '')
}
const isAddressMaker = (name) => makers.has(name) || name.endsWith('Address')

function isSafe(node) {
  if (node === null || node.type === 'Literal') return true
  if (node.type === 'JSXExpressionContainer') return isSafe(node.expression)
  if (node.type === 'ConditionalExpression')
    return isSafe(node.consequent) && isSafe(node.alternate)
  if (node.type === 'Identifier') return node.name === 'undefined'
  return node.type === 'CallExpression' && isAddressMaker(nameOf(node.callee))
}

const noSpread = {
  create: (context) => ({
    JSXSpreadAttribute: (node) => {
      context.report({ node, message: 'No spread onto an element: name its attributes.' })
    },
  }),
}

const noRawHtml = {
  create: (context) => {
    const check = (node, name) => {
      if (takeMarkup.has(name)) {
        context.report({ node, message: `No ${name}: what comes from outside is a text node.` })
      }
    }
    return {
      JSXAttribute: (node) => check(node, nameOf(node.name)),
      MemberExpression: (node) => {
        const isWrite = nameOf(node).startsWith('write')
        if (!isWrite || nameOf(node.object) === 'document') check(node, nameOf(node))
      },
      Property: (node) => check(node, nameOf(node.key)),
    }
  },
}

const noRawAddress = {
  create: (context) => {
    const report = (node) => {
      context.report({ node, message: 'Make this address with addressOf or withQuery.' })
    }
    const checkMaker = (name, fn) => {
      if (!name.endsWith('Address') || !/Function/.test(fn?.type ?? '')) return
      const { body } = fn
      if (body.type !== 'BlockStatement') {
        if (!isSafe(body)) report(body)
        return
      }
      for (const { type, argument } of body.body) {
        if (type === 'ReturnStatement' && !isSafe(argument)) report(argument)
      }
    }
    return {
      JSXAttribute: (node) => {
        if (takeAddress.has(nameOf(node.name)) && !isSafe(node.value)) report(node)
      },
      FunctionDeclaration: (node) => checkMaker(nameOf(node.id), node),
      VariableDeclarator: (node) => checkMaker(nameOf(node.id), node.init),
      AssignmentExpression: ({ left, right }) => {
        if (left.type !== 'MemberExpression') return
        if (takeAddress.has(nameOf(left)) && !isSafe(right)) report(left)
      },
      CallExpression: ({ callee }) => {
        if (callee.type !== 'MemberExpression' || !goElsewhere.has(nameOf(callee))) return
        if (['location', 'window'].includes(nameOf(callee.object))) report(callee)
      },
    }
  },
}

export default {
  meta: { name: 'console' },
  rules: {
    'no-spread': noSpread,
    'no-raw-html': noRawHtml,
    'no-raw-address': noRawAddress,
  },
}
