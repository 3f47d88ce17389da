import { errorCodes, type ErrorMeaning } from '../../src/platform.ts'
import { openaiCodes } from '../../src/capabilities/openai-api/http/openai-failure.ts'
import { type HttpErrorCode, httpStatuses } from '../../src/server/failure.ts'
import { writtenTable } from '../guide/written-table.ts'

export const errorsInGuide = writtenTable('http.md', 'errors')

/** The table of error codes as the gateway has it. */
export function errorTable(): string {
  const meanings: Readonly<Record<HttpErrorCode, ErrorMeaning>> = errorCodes
  const rows = Object.entries(httpStatuses).map(([code, status]) => {
    const openai = openaiCodes[code as HttpErrorCode]
    const other = openai && [openai.status, `\`${openai.code}\``].filter((part) => part !== undefined).join(' ')
    const { meaning, retryable } = meanings[code as HttpErrorCode]
    return `| ${status} | \`${code}\` | ${other ?? ''} | ${retryable ? 'yes' : ''} | ${meaning} |`
  })
  const head = ['\n| status | code | under `/v1` | retry | meaning |', '| --- | --- | --- | --- | --- |']
  return [...head, ...rows].join('\n').concat('\n\n')
}

if (import.meta.main) errorsInGuide.write(errorTable())
