import type { ReactNode } from 'react'
import { argvText, exactLine, exactLines, lookAlikes } from '../../../src/context.ts'
import type { Entry } from '../../../src/session.ts'
import { DiffLines } from '../parts/diff-lines.tsx'

type Question = Extract<Entry, { readonly type: 'approval-request' }>['request']

/** Exactly what a call would do, for a person who decides about it. Nothing is left out, and what could not be seen is written out. */
export function CallDescription({ request }: { readonly request: Question }): ReactNode {
  const { argv, command, folder, input, facts = {}, diff } = request
  const alike = lookAlikes([...(argv ?? []), command ?? ''].join(' '))
  return (
    <div className="flex flex-col gap-2">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-xs">
        {argv !== undefined && <Row name="argv">{argvText(argv)}</Row>}
        {command !== undefined && <Row name="command">{exactLines(command)}</Row>}
        {folder !== undefined && <Row name="folder">{exactLine(folder)}</Row>}
        {argv === undefined && command === undefined && <InputRows input={input} short={diff !== undefined} />}
        {Object.entries(facts).map(([name, fact]) => (
          <Row key={name} name={exactLine(name)}>
            {exactLine(typeof fact === 'string' ? fact : (JSON.stringify(fact) ?? ''))}
          </Row>
        ))}
      </dl>
      {alike.length > 0 && (
        <p className="text-sm text-bad">{`Characters that look like others: ${alike.join(', ')}`}</p>
      )}
      {diff !== undefined && <DiffLines diff={diff} />}
    </div>
  )
}

/** Characters that are shown of a field whose text is in the difference. */
const BESIDE_DIFF = 200

function InputRows({ input, short }: { readonly input: unknown; readonly short: boolean }): ReactNode {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return <Row name="input">{exactLine(JSON.stringify(input) ?? '')}</Row>
  }
  return Object.entries(input).map(([name, value]) => {
    const text = exactLine(JSON.stringify(value) ?? '')
    return (
      <Row key={name} name={exactLine(name)}>
        {short && text.length > BESIDE_DIFF ? `${text.slice(0, BESIDE_DIFF)}…` : text}
      </Row>
    )
  })
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd dir="ltr" className="max-h-60 overflow-y-auto font-mono break-words whitespace-pre-wrap">
        {children}
      </dd>
    </>
  )
}
