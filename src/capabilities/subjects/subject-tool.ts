import { type OperationAnswer, SubjectError, type SubjectOperation } from './core.ts'
import type { OfferedWhile, Tool } from '../../tool.ts'

/** Of one result, characters: a subject with several tastes has more to say than most tools. */
const MOST_SHOWN = 64_000

/** An operation as a tool of the gateway. It answers with JSON, and with a line below about what was odd about the files. */
export function subjectTool(
  { name, description, inputSchema, readOnly, faultOf, run }: SubjectOperation,
  offeredWhile: OfferedWhile,
): Tool {
  return {
    name,
    description,
    inputSchema,
    idempotent: readOnly,
    maxShownChars: MOST_SHOWN,
    offeredWhile,
    ...(readOnly && { origin: 'file' as const }),
    faultOf,
    async execute(input, { session, turn, toolCallId }) {
      try {
        // The toolbox has checked it against the schema above.
        const given = input as Readonly<Record<string, unknown>>
        return { ok: true, output: answerText(await run(given, { session, turn, toolCallId })) }
      } catch (error) {
        if (error instanceof SubjectError) return { ok: false, error: `${error.code}: ${error.message}` }
        throw error
      }
    },
  }
}

function answerText({ data, warnings }: OperationAnswer): string {
  const json = JSON.stringify(data, undefined, 1)
  return warnings.length === 0 ? json : `${json}\nWarnings: ${warnings.join('; ')}`
}
