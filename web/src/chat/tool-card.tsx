import type { ReactNode } from 'react'
import type { ToolPart } from './conversation.ts'

const states = {
  asked: 'asked for',
  waiting: 'waits for you',
  running: 'running',
  done: 'done',
  failed: 'failed',
  denied: 'denied',
} as const

/** A call of a tool: what was asked, what became of it, and its result. */
export function ToolCard({ part }: { readonly part: ToolPart }): ReactNode {
  const { name, input, state, result, durationMs } = part
  return (
    <details className="rounded-lg border border-line bg-raised text-sm" open={state === 'waiting'}>
      <summary className="flex items-center gap-2 px-3 py-2">
        <code className="font-mono font-medium">{name}</code>
        <span className={state === 'failed' || state === 'denied' ? 'text-bad' : 'text-soft'}>{states[state]}</span>
        {durationMs !== undefined && <span className="ml-auto text-soft">{durationMs} ms</span>}
      </summary>
      <div className="border-t border-line px-3 py-2">
        <pre className="overflow-x-auto text-xs whitespace-pre-wrap">{JSON.stringify(input, null, 2)}</pre>
        {result !== undefined && (
          <pre className="mt-2 max-h-80 overflow-auto border-t border-line pt-2 text-xs whitespace-pre-wrap">
            {result}
          </pre>
        )}
      </div>
    </details>
  )
}
