import { BlockList, isIP, isIPv4 } from 'node:net'

// The ranges come from the IANA registries of special-purpose addresses. Cloud providers serve metadata at
// link-local addresses and at unique local addresses.
const refusedIPv4 = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  refusedIPv4.addSubnet(network, prefix, 'ipv4')
}

/** Global unicast addresses. All other IPv6 addresses are refused, including the forms that contain an IPv4 address. */
const globalIPv6 = new BlockList()
globalIPv6.addSubnet('2000::', 3, 'ipv6')

const refusedIPv6 = new BlockList()
for (const [network, prefix] of [
  // Teredo, benchmarking and ORCHID
  ['2001::', 23],
  // Documentation
  ['2001:db8::', 32],
  ['3fff::', 20],
  // 6to4, which contains an IPv4 address
  ['2002::', 16],
] as const) {
  refusedIPv6.addSubnet(network, prefix, 'ipv6')
}

/** Returns whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  // A zone such as `%eth0` exists for local addresses only.
  if (isIP(address) === 0 || address.includes('%')) return false
  if (isIPv4(address)) return !refusedIPv4.check(address, 'ipv4')
  return globalIPv6.check(address, 'ipv6') && !refusedIPv6.check(address, 'ipv6')
}

/** Thrown when the address of a receiver is not public. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly code = 'ADDRESS_REFUSED'

  constructor() {
    super('the address of the receiver is not public')
  }
}
