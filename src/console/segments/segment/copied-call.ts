import { literal, type Call } from '../../parts/calls.js'

/** Returns the request of a tab of a segment. */
export function copiedCall(segment: string, tab: string): Call {
  const path = `/segments/${segment}`
  const key = literal(segment)
  switch (tab) {
    case 'members':
      return {
        path: `${path}/members`,
        code: `for await (const member of dossier.segments.members(${key})) console.log(member)`,
      }
    case 'changes':
      return {
        path: `${path}/changes`,
        code: `for await (const change of dossier.segments.changes(${key})) console.log(change)`,
      }
    case 'webhooks':
      return { path: '/webhooks', code: 'await dossier.webhooks.list()' }
    case 'versions':
      return { path: `${path}/versions`, code: `await dossier.segments.versions(${key}).all()` }
    default:
      return { path, code: `await dossier.segments.get(${key})` }
  }
}
