import type { CountRule, Rule } from './rule.js'

/**
 * Returns the first condition of a rule that counts events. The entities that match the rule can be ranked by
 * these events. Skips negated conditions. Returns undefined when there is no such condition.
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
