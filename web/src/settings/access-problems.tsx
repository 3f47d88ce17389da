import type { ReactNode } from 'react'

/** Why the file cannot be read: each problem with its line. */
export function AccessProblems({ problems }: { readonly problems: readonly string[] }): ReactNode {
  if (problems.length === 0) return null
  return (
    <div role="alert" className="rounded-lg border border-bad px-3 py-2 text-sm">
      <p className="font-medium text-bad">With these mistakes no tool may run:</p>
      <ul className="list-disc ps-5 break-words">
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  )
}
