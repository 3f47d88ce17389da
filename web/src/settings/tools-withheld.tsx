import type { ReactNode } from 'react'
import type { ToolStatus } from '../../../src/capability.ts'
import { TextDifference } from '../inspector/compare-text.tsx'
import { ToAccept } from './tools-waiting.tsx'

type Withheld = NonNullable<ToolStatus['withheld']>

/** Definitions that are not the ones that were accepted: each is shown with its difference before it is accepted. */
export function WithheldTools({ tools }: { readonly tools: readonly ToolStatus[] }): ReactNode {
  // What is declared in files is accepted with them.
  const withheld = tools.flatMap((tool) => tool.withheld ?? []).filter(({ declared }) => declared === undefined)
  if (withheld.length === 0) return null
  return (
    <section aria-label="Changed definitions" className="flex flex-col gap-3 rounded-lg border border-warn p-3">
      <div>
        <h2 className="font-semibold text-warn">Changed definitions</h2>
        <p className="text-sm text-soft">
          A server has changed what a model reads about these tools. They are withheld until you accept the difference.
        </p>
      </div>
      {withheld.map((each) => (
        <WithheldDefinition key={`${each.name} ${each.digest}`} withheld={each} />
      ))}
    </section>
  )
}

function WithheldDefinition({ withheld }: { readonly withheld: Withheld }): ReactNode {
  const { name, accepted, offered, digest } = withheld
  const note = accepted === undefined ? 'New' : offered === undefined ? 'No longer provided' : 'Changed'
  return (
    <ToAccept
      name={name}
      note={<span className="text-soft">{note}</span>}
      path={`/api/tools/${encodeURIComponent(name)}/accept`}
      body={{ digest }}
      changes={['/api/tools', '/api/mcp-servers']}
    >
      <TextDifference before={written(accepted)} after={written(offered)} />
      <p className="text-xs break-all text-soft">{`Digest ${digest}`}</p>
    </ToAccept>
  )
}

function written(definition: Withheld['accepted']): string {
  return definition === undefined ? '' : JSON.stringify(definition, null, 2)
}
