import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { z } from 'zod'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'

const versioned = z.object({ schemaVersion: z.int() })

/** Validates facts against the JSON Schemas in `docs/facts`, as another service would. */
export class FactSchemas {
  private readonly ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  private readonly compiled = new Map<string, ValidateFunction>()

  constructor() {
    formats.default(this.ajv)
  }

  /** Returns the faults of a stored fact, by the schemas of its type and version. */
  faultsOf({ type, data, metadata }: StoredFact): readonly string[] {
    const { schemaVersion } = versioned.parse(JSON.parse(metadata))
    return [
      ...this.dataFaults(type, schemaVersion, JSON.parse(data)),
      ...this.metadataFaults(JSON.parse(metadata)),
    ]
  }

  dataFaults(type: string, version: number, data: unknown): readonly string[] {
    return this.faults(type, version, data)
  }

  /** Returns the faults of metadata, whose schema is the same for all facts. */
  metadataFaults(metadata: unknown): readonly string[] {
    return this.faults('Metadata', 1, metadata)
  }

  private faults(type: string, version: number, value: unknown): readonly string[] {
    const validate = this.validator(type, version)
    if (validate(value)) return []
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`)
  }

  private validator(type: string, version: number): ValidateFunction {
    const key = `${type}.v${String(version)}`
    const known = this.compiled.get(key)
    if (known !== undefined) return known
    const file = `docs/facts/${key.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase()}.schema.json`
    const schema = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')))
    const made = this.ajv.compile(schema)
    this.compiled.set(key, made)
    return made
  }
}
