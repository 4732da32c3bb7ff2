import { isIP } from 'node:net'
import type { ReceiverUrls } from '../../application/webhooks/ports/webhook-sending.js'
import { broken, tooLong, type RuleViolation } from '../../domain/rule-violation.js'
import { isPublicAddress } from './address-guard.js'

const maxUrlLength = 2_048

/** Which receivers are allowed. */
export interface ReceiverRules {
  /** Whether `http` is allowed, besides `https`. */
  readonly isInsecure: boolean
  /** Whether addresses that are not public are allowed. */
  readonly isPrivate: boolean
}

/**
 * Checks the text of a URL. Every spelling of an IP address is checked, because the URL parser normalises addresses.
 */
export function receiverUrls(rules: ReceiverRules): ReceiverUrls {
  return {
    violations: (text) => violationsOf(text, rules),
    normalised: (text) => {
      const url = new URL(text)
      url.hash = ''
      return { url: url.href, origin: url.origin }
    },
  }
}

function violationsOf(text: string, rules: ReceiverRules): readonly RuleViolation[] {
  if (text.length > maxUrlLength) return [tooLong(maxUrlLength)]
  if (!URL.canParse(text))
    return [broken('bad_characters', 'must be a URL like https://example.com/hook')]
  const url = new URL(text)
  const faults = [
    !schemesOf(rules).includes(url.protocol) && `must begin with ${schemesOf(rules).join(' or ')}`,
    `${url.username}${url.password}` !== '' && 'must not have a user name or a password',
    !rules.isPrivate &&
      hasPrivateAddress(url) &&
      'must not have a private, local or reserved address',
  ]
  return faults.flatMap((fault) => (fault === false ? [] : broken('bad_characters', fault)))
}

function schemesOf({ isInsecure }: ReceiverRules): readonly string[] {
  return isInsecure ? ['https:', 'http:'] : ['https:']
}

/** Returns whether the host of a URL is an IP address that is not public. */
function hasPrivateAddress({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) !== 0 && !isPublicAddress(host)
}
