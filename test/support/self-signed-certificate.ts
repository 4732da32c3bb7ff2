import { createSign, generateKeyPairSync } from 'node:crypto'

/** A private key and a certificate in PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/**
 * Creates a certificate for localhost that is its own authority: X.509 in DER, with only the parts that TLS needs.
 */
export function selfSignedCertificate(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(element(0x31, sequence(commonName, element(0x0c, Buffer.from('test')))))
  const body = sequence(
    element(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(utcTime('200101000000Z'), utcTime('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(sequence(subjectAltName, element(0x04, sequence(localhost))))),
  )
  const signature = createSign('sha256').update(body).sign(privateKey)
  const certificate = sequence(body, ecdsaWithSha256, element(0x03, zero, signature))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

const zero = Buffer.from([0])
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'))
const commonName = objectId('550403')
const subjectAltName = objectId('551d11')
const localhost = element(0x82, Buffer.from('localhost'))

function objectId(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, 'hex'))
}

function integer(value: number): Buffer {
  return element(0x02, Buffer.from([value]))
}

function utcTime(text: string): Buffer {
  return element(0x17, Buffer.from(text))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, ...parts)
}

/** Encodes an element: its type, its length in as few bytes as possible, and its content. */
function element(type: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([type, ...size]), content])
}
