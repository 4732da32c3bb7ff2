import type { CountRule, Rule } from './rule.js'

/**
 * The first condition of a rule on how many events there are, of those that it asks for and not the opposite
 * of: what its members can be ranked by. Undefined: it has none.
 */
export function firstCount(rule: Rule): CountRule | undefined {
  if ('not' in rule) return 'not' in rule.not ? firstCount(rule.not.not) : undefined
  const parts = 'all' in rule ? rule.all : 'any' in rule ? rule.any : undefined
  if (parts === undefined) return 'event' in rule && !('last' in rule) ? rule : undefined
  for (const part of parts) {
    const found = firstCount(part)
    if (found !== undefined) return found
  }
  return undefined
}
