import { describe, expect, it } from '@jest/globals'
import { isPublicAddress } from '../../../src/adapters/webhooks/address-guard.js'
import { receiverUrls } from '../../../src/adapters/webhooks/receiver-urls.js'

describe('an address of a receiver', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])(
    'is public: %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  it.each([
    ['loopback', '127.0.0.1'],
    ['this host', '0.0.0.0'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['metadata', '169.254.169.254'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['IPv6 loopback', '::1'],
    ['IPv6 unspecified', '::'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1'],
    ['IPv4 in IPv6, in hex', '::ffff:7f00:1'],
    ['IPv4 in IPv6, old form', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001::1'],
    ['unique local', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['multicast', 'ff02::1'],
    ['no address', 'localhost'],
  ])('is refused: %s %s', (_kind, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('the URL of a receiver', () => {
  const strict = receiverUrls({ isInsecure: false, isPrivate: false })
  const lenient = receiverUrls({ isInsecure: true, isPrivate: true })

  it.each([
    ['http', 'http://example.com/'],
    ['another scheme', 'file:///etc/passwd'],
    ['another scheme', 'gopher://example.com/'],
    ['a user name', 'https://user@example.com/'],
    ['a password', 'https://:secret@example.com/'],
    ['no URL', 'shop.example/path'],
    ['an empty text', ''],
    ['too long', `https://example.com/${'a'.repeat(2_048)}`],
    ['a private address', 'https://127.0.0.1/'],
    ['an address as a number', 'https://2130706433/'],
    ['an address in hex', 'https://0x7f000001/'],
    ['an address in octal', 'https://0177.0.0.1/'],
    ['a short address', 'https://127.1/'],
    ['IPv6', 'https://[::1]/'],
    ['IPv4 in IPv6', 'https://[::ffff:127.0.0.1]/'],
    ['an address in wide characters', 'https://１２７.0.0.1/'],
    ['metadata', 'https://169.254.169.254/latest/meta-data/'],
  ])('is refused: %s', (_kind, url) => {
    const violations = strict.violations(url)
    expect(violations).toHaveLength(1)
    // A message never repeats the URL, which may be a secret.
    if (url !== '') expect(JSON.stringify(violations)).not.toContain(url)
  })

  it('may have http and a private address when the settings allow both', () => {
    expect(lenient.violations('http://127.0.0.1:8080/hook')).toEqual([])
    expect(lenient.violations('file:///etc/passwd')).toHaveLength(1)
  })

  it('may have a name in any script, which becomes ASCII', () => {
    const url = 'https://bücher.example/hook?a=1#part'
    expect(strict.violations(url)).toEqual([])
    expect(strict.normalised(url)).toEqual({
      url: 'https://xn--bcher-kva.example/hook?a=1',
      origin: 'https://xn--bcher-kva.example',
    })
  })
})
