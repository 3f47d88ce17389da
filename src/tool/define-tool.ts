import { errorMessage } from '../platform.ts'
import {
  type Tool,
  type ToolContext,
  type ToolFailed,
  type ToolPlan,
  type ToolResult,
  type ToolProperties,
  toolFailure,
} from './tool.ts'

/**
 * A tool whose input is typed by its schema: any Standard Schema that can be written as a JSON Schema, such as one of zod.
 * The model reads the JSON Schema; `execute` or `plan` gets the parsed input, with defaults and transforms applied.
 * Input that the schema refuses, and whatever is thrown, becomes a failed result that the model reads.
 *
 * @throws TypeError where the schema is not one of an object, or has no JSON Schema
 */
export function tool<Input = Readonly<Record<string, never>>>(definition: ToolInput<Input>): Tool {
  const { schema, execute, plan, ...properties } = definition
  const inputSchema = toJsonSchema(properties.name, schema)
  if (plan) {
    return {
      ...properties,
      inputSchema,
      async plan(value, context) {
        const input = await parse(schema, value, properties.name)
        return 'ok' in input ? input : planned(await plan(input.value, context))
      },
    }
  }
  return {
    ...properties,
    inputSchema,
    async execute(value, context) {
      const input = await parse(schema, value, properties.name)
      return 'ok' in input ? input : toResult(await execute(input.value, context))
    },
  }
}

/** What `tool` makes a tool of: with `execute`, or with `plan` where a person may want to see the effect first. */
type ToolInput<Input> = Omit<ToolProperties, 'inputSchema'> & {
  /** What the model has to give. No input at all where absent. */
  readonly schema?: ToolSchema<Input>
} & (
    | {
        execute(input: NoInfer<Input>, context: ToolContext): ToolAnswer | Promise<ToolAnswer>
        readonly plan?: undefined
      }
    | {
        /** Says what a call would do, and does nothing of it. What a person approves is then what runs. */
        plan(input: NoInfer<Input>, context: ToolContext): PlanAnswer | Promise<PlanAnswer>
        readonly execute?: undefined
      }
  )

/** A text is a result that went well. */
type ToolAnswer = string | ToolResult

type PlanAnswer =
  | ToolFailed
  | (Omit<ToolPlan, 'run'> & {
      /** Executes the plan, or fails where that is no longer possible. */
      run(context: ToolContext): ToolAnswer | Promise<ToolAnswer>
    })

/** Standard Schema and Standard JSON Schema, as zod from 4.2 on has them. `Input` is what it parses to. */
interface ToolSchema<Input> {
  readonly '~standard': {
    readonly version: 1
    readonly types?: { readonly input: unknown; readonly output: Input } | undefined
    validate(value: unknown): Parsed<Input> | Promise<Parsed<Input>>
    readonly jsonSchema: { input(options: { readonly target: 'draft-2020-12' }): Record<string, unknown> }
  }
}

type Parsed<Input> = { readonly value: Input; readonly issues?: undefined } | { readonly issues: readonly Issue[] }

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

const NO_INPUT = { type: 'object', properties: {}, additionalProperties: false }

function toJsonSchema(name: string, schema: ToolSchema<unknown> | undefined): Tool['inputSchema'] {
  if (!schema) return NO_INPUT
  const convert = schema['~standard'].jsonSchema?.input
  if (!convert) throw new TypeError(`The schema of the tool ${name} has no JSON Schema. Use zod 4.2 or newer.`)
  const { $schema: _, ...written } = converted(name, () => convert({ target: 'draft-2020-12' }))
  if (written['type'] !== 'object') throw new TypeError(`The schema of the tool ${name} must be one of an object.`)
  return written
}

function converted(name: string, convert: () => Record<string, unknown>): Record<string, unknown> {
  try {
    return convert()
  } catch (cause) {
    throw new TypeError(`The schema of the tool ${name} has no JSON Schema: ${errorMessage(cause)}.`, { cause })
  }
}

async function parse<Input>(
  schema: ToolSchema<Input> | undefined,
  value: unknown,
  name: string,
): Promise<{ readonly value: Input } | ToolFailed> {
  if (!schema) return { value: {} as Input }
  const { issues, ...parsed } = await schema['~standard'].validate(value)
  if (issues === undefined) return parsed as { readonly value: Input }
  return toolFailure(`invalid input for ${name}: ${issues.map(sentence).join('; ')}`, 'invalid-input')
}

function sentence({ message, path = [] }: Issue): string {
  const field = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return field === '' ? message : `${field}: ${message}`
}

function planned(answer: PlanAnswer): ToolPlan | ToolFailed {
  if (!('run' in answer)) return answer
  return { ...answer, run: async (context) => toResult(await answer.run(context)) }
}

function toResult(answer: ToolAnswer): ToolResult {
  return typeof answer === 'string' ? { ok: true, output: answer } : answer
}
