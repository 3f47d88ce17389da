import { errorCodes, type ErrorKind } from '../../src/server/error-codes.ts'
import { writtenTable } from '../guide/written-table.ts'

export const errorsInGuide = writtenTable('http.md', 'errors')

/** The table of error codes as the gateway has it. */
export function errorTable(): string {
  const rows = Object.entries<ErrorKind>(errorCodes).map(([code, { status, meaning, openai }]) => {
    const other = openai && [openai.status, `\`${openai.code}\``].filter((part) => part !== undefined).join(' ')
    return `| ${status} | \`${code}\` | ${other ?? ''} | ${meaning} |`
  })
  return ['\n| status | code | under `/v1` | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n').concat('\n\n')
}

if (import.meta.main) errorsInGuide.write(errorTable())
