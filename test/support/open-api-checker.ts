import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { z } from 'zod'

const responseForm = z.object({
  headers: z.record(z.string(), z.object({ $ref: z.string().startsWith('#/') })),
})
const referenceForm = z.strictObject({ $ref: z.string().startsWith('#/') })
const headerForm = z.object({ required: z.boolean().default(false) })

export interface Exchange {
  readonly path: string
  readonly method: string
  readonly status: number
  /** The response headers, with names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Headers that HTTP itself adds and that OpenAPI documents never list. */
const ordinary = new Set([
  'content-type',
  'content-length',
  'connection',
  'date',
  'keep-alive',
  'transfer-encoding',
])

/** Validates requests and replies against an OpenAPI document. */
export class OpenApiChecker {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true })
  private readonly compiled = new Map<string, ValidateFunction>()

  constructor(private readonly document: object) {
    formats.default(this.ajv)
    this.ajv.addSchema(document, 'api')
  }

  /** Returns the faults of a reply. A status that the document does not list is a fault. */
  replyFaults({ path, method, status, headers, body }: Exchange): readonly string[] {
    const place = ['paths', path, method, 'responses', String(status)]
    const response = this.at(place)
    if (response === undefined) return [`${method} ${path} lists no ${String(status)}`]
    const type = String(headers['content-type']).split(';')[0] ?? ''
    const schema = [...place, 'content', type, 'schema']
    if (this.at(schema) === undefined) return [`${type} is not listed`]
    return [
      ...this.faultsOf(type === 'application/json' ? JSON.parse(body) : body, pointer(schema)),
      ...this.headerFaults(responseForm.parse(response).headers, headers),
    ]
  }

  /** Returns the faults of a request body. */
  requestFaults(path: string, method: string, body: unknown): readonly string[] {
    const place = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema']
    return this.faultsOf(body, pointer(place))
  }

  /** Returns the faults of a value, by the schema with this name. */
  valueFaults(name: string, value: unknown): readonly string[] {
    return this.faultsOf(value, pointer(['components', 'schemas', name]))
  }

  private headerFaults(
    declared: z.infer<typeof responseForm>['headers'],
    sent: Exchange['headers'],
  ): readonly string[] {
    const listed = new Set(Object.keys(declared).map((name) => name.toLowerCase()))
    const unlisted = Object.keys(sent).filter((name) => !ordinary.has(name) && !listed.has(name))
    return [
      ...unlisted.map((name) => `the header ${name} is not listed`),
      ...Object.entries(declared).flatMap(([name, { $ref }]) => {
        const value = sent[name.toLowerCase()]
        const { required } = headerForm.parse(this.at($ref.slice(2).split('/')))
        if (value === undefined) return required ? [`the header ${name} is missing`] : []
        return this.faultsOf(value, `${$ref}/schema`).map((fault) => `${name}: ${fault}`)
      }),
    ]
  }

  private faultsOf(value: unknown, ref: string): readonly string[] {
    const validate = this.validatorOf(ref)
    if (validate(value)) return []
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`)
  }

  /** Compiles the schema once, because compiling takes far longer than validating. */
  private validatorOf(ref: string): ValidateFunction {
    const known = this.compiled.get(ref)
    if (known !== undefined) return known
    const target = this.targetOf(ref)
    const made =
      target === undefined ? this.ajv.compile({ $ref: `api${ref}` }) : this.validatorOf(target)
    this.compiled.set(ref, made)
    return made
  }

  /** Returns the target of a schema that is only a reference. Most replies share the schema of errors. */
  private targetOf(ref: string): string | undefined {
    const steps = ref.slice(2).split('/').map(decodeURIComponent)
    const { success, data } = referenceForm.safeParse(
      this.at(steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))),
    )
    return success ? data.$ref : undefined
  }

  private at(path: readonly string[]): unknown {
    let at: unknown = this.document
    for (const step of path) {
      if (typeof at !== 'object' || at === null) return undefined
      at = Object.getOwnPropertyDescriptor(at, step)?.value
    }
    return at
  }
}

function pointer(path: readonly string[]): string {
  const steps = path.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
  return `#/${steps.map(encodeURIComponent).join('/')}`
}
