import { type ErrorCode, errorCodes, type ErrorMeaning } from '../../src/platform.ts'
import { openaiCodes } from '../../src/capabilities/openai-api/http/openai-failure.ts'
import { type HttpErrorCode, httpStatus } from '../../src/server/failure.ts'
import { writtenTable } from '../guide/written-table.ts'

export const errorsInGuide = writtenTable('http.md', 'errors')

/** Every code that an answer of the gateway can have, in the order of the guide. */
export const httpErrorCodes = (Object.keys(errorCodes) as ErrorCode[]).filter(
  (code): code is HttpErrorCode => 'status' in errorCodes[code],
)

/** The table of error codes as the gateway has it. */
export function errorTable(): string {
  const rows = httpErrorCodes.map((code) => {
    const { meaning, retryable }: ErrorMeaning = errorCodes[code]
    const openai = openaiCodes[code]
    const other = openai && [openai.status, `\`${openai.code}\``].filter((part) => part !== undefined).join(' ')
    return `| ${httpStatus(code)} | \`${code}\` | ${other ?? ''} | ${retryable ? 'yes' : ''} | ${meaning} |`
  })
  const head = ['\n| status | code | under `/v1` | retry | meaning |', '| --- | --- | --- | --- | --- |']
  return [...head, ...rows].join('\n').concat('\n\n')
}

if (import.meta.main) errorsInGuide.write(errorTable())
