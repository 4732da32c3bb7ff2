import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TlsFiles } from './eventstoredb/event-store-double.js'
import { selfSignedCertificate } from './self-signed-certificate.js'

/** The key and certificate of a server, in a separate temporary folder. */
export class TlsFolder implements TlsFiles {
  private readonly folder = mkdtempSync(join(tmpdir(), 'dossier-tls-'))
  readonly keyFile = join(this.folder, 'key.pem')
  readonly certFile = join(this.folder, 'cert.pem')

  constructor() {
    const { key, cert } = selfSignedCertificate()
    writeFileSync(this.keyFile, key)
    writeFileSync(this.certFile, cert)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
