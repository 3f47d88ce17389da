import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { AccessPreview, AccessStep, ToolStatus } from '../../../src/capability.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { Fold } from '../parts/fold.tsx'
import { LongList } from '../parts/long-text.tsx'
import type { AccessDraft } from './access-draft.ts'
import { accessLooks, accessTitles, ruleText, untrustedTitles } from './access-words.ts'
import { useAction } from '../parts/use-action.ts'
import { t } from '../language/language.ts'

interface ToolListProps {
  readonly tools: readonly ToolStatus[]
  readonly draft: AccessDraft
}

export function ToolList({ tools, draft }: ToolListProps): ReactNode {
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase()
  const found = tools.filter(({ name, from }) => `${name} ${from}`.toLowerCase().includes(wanted))
  const ofGroups = groups.map(([title, from]) => [title, found.filter((tool) => tool.from === from)] as const)
  const others = found.filter(({ from }) => groups.every(([, owner]) => owner !== from))
  return (
    <section aria-label={t`All tools`} className="flex flex-col gap-5">
      <TextField
        label={t`Find a tool`}
        type="search"
        value={words}
        placeholder={t`${tools.length} tools`}
        onChange={(event) => setWords(event.target.value)}
      />
      {found.length === 0 && (
        <Empty
          action={
            <Button look="plain" onClick={() => setWords('')}>
              {t`Show all tools`}
            </Button>
          }
        >
          {t`No tool has these letters, nor has what it comes from.`}
        </Empty>
      )}
      {[...ofGroups, [OTHERS, others] as const].map(([title, group]) => (
        <ToolGroup key={title} title={title} tools={group} draft={draft} />
      ))}
      {wanted === '' && !tools.some(({ from }) => from === 'mcp') && (
        <Empty
          action={
            <Link href="/settings/mcp-servers" className="text-accent underline">
              {t`Add an MCP server`}
            </Link>
          }
        >
          {t`No MCP server is connected. One gives a model the tools of a program or a service.`}
        </Empty>
      )}
    </section>
  )
}

/** What a person looks for first, with the owner of these tools. */
const groups = [
  [t`Files`, 'workspace'],
  [t`Shell`, 'shell'],
  [t`Web`, 'web'],
  [t`MCP servers`, 'mcp'],
] as const
const OTHERS = t`What Foreword brings along`

interface ToolGroupProps extends ToolListProps {
  readonly title: string
}

function ToolGroup({ title, tools, draft }: ToolGroupProps): ReactNode {
  if (tools.length === 0) return null
  const said = Map.groupBy(tools, (tool) => ruleSentence(tool, draft))
  const [common = '', same = []] = [...said].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? []
  const shared = same.length > 1 ? common : undefined
  return (
    <section aria-label={title}>
      <h2 className="text-lg font-semibold">{title}</h2>
      {shared !== undefined && (
        <p className="text-xs break-words text-soft">
          {said.size === 1 ? shared : t`Unless a tool says otherwise: ${shared}`}
        </p>
      )}
      <ul className="divide-y divide-line">
        <LongList
          items={tools}
          atOnce={100}
          draw={(tool) => <ToolRow key={tool.name} tool={tool} draft={draft} shared={shared} />}
          wrap={(more) => <li className="py-2">{more}</li>}
        />
      </ul>
    </section>
  )
}

/** What decides about a tool now, and before that whose it is where the title of its group does not say so. */
function ruleSentence(tool: ToolStatus, draft: AccessDraft): string {
  const change = changeOf(draft, tool.name)
  const owner = groups.some(([, from]) => from === tool.from) ? '' : `${t`From ${tool.from}.`} `
  return `${owner}${ruleText(change?.after ?? tool)}${change ? ` ${t`Not saved yet.`}` : ''}`
}

interface ToolRowProps {
  readonly tool: ToolStatus
  readonly draft: AccessDraft
  /** The sentence that its group says once. */
  readonly shared: string | undefined
}

function ToolRow({ tool, draft, shared }: ToolRowProps): ReactNode {
  const sentence = ruleSentence(tool, draft)
  const { name, description, reason, inputSchema, withheld } = tool
  const { error, act } = useAction()
  const change = changeOf(draft, name)
  const { access } = change?.after ?? tool
  const choose = (wanted: ToolStatus['access']): Promise<void> =>
    act(async () => draft.apply(await stepsTo(wanted, name, draft)))
  return (
    <li className="flex flex-col gap-1 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1">
          <p className="font-medium break-words">{name}</p>
          {sentence !== shared && <p className="text-xs break-words text-soft">{sentence}</p>}
        </div>
        {withheld ? (
          <span className="font-medium text-warn">{t`Withheld`}</span>
        ) : (
          <select
            aria-label={t`Access of ${name}`}
            value={access}
            onChange={({ target }) => void choose(target.value as ToolStatus['access'])}
            className={`rounded-lg border border-strong-line bg-ground px-2 py-1 font-medium ${accessLooks[access]}`}
          >
            {(['allowed', 'ask', 'refused'] as const).map((each) => (
              <option key={each} value={each}>
                {accessTitles[each]}
              </option>
            ))}
          </select>
        )}
      </div>
      {error && <ErrorNote error={error} />}
      <Fold
        summary={description === undefined ? t`Details` : <bdi>{firstSentence(description)}</bdi>}
        summaryClassName="cursor-pointer text-xs text-soft"
      >
        <div className="flex flex-col gap-2 py-2">
          {access !== 'refused' && !withheld && (
            <AfterUntrusted tool={tool} set={change ? change.after.afterUntrusted : setValue(tool)} draft={draft} />
          )}
          {reason !== undefined && !change && <p className="break-words">{reason}</p>}
          <p dir="auto" className="break-words whitespace-pre-wrap">
            {description ?? t`It has no description.`}
          </p>
          <pre tabIndex={0} className="max-h-64 overflow-auto rounded-md border border-line bg-sunken p-2 text-xs">
            {JSON.stringify(inputSchema, null, 2)}
          </pre>
        </div>
      </Fold>
    </li>
  )
}

/** As the model reads it, in whatever language that is. */
function firstSentence(text: string): string {
  return text.split(/(?<=[.!?])\s/, 1)[0]!
}

function changeOf({ preview, isChanged }: AccessDraft, tool: string): AccessPreview['changes'][number] | undefined {
  if (!isChanged || preview === undefined || !('changes' in preview)) return undefined
  return preview.changes.find(({ name }) => name === tool)
}

/** The changes of the file after which the tool has this access, whatever the tool itself would ask. */
async function stepsTo(
  wanted: ToolStatus['access'],
  name: string,
  { attempt }: AccessDraft,
): Promise<readonly AccessStep[]> {
  if (wanted === 'refused') return [{ do: 'deny', name }]
  const allow: AccessStep = { do: 'allow', name }
  const { trial } = await attempt({ steps: [allow], tool: name })
  if (trial?.after.access === wanted) return [allow]
  return [allow, { do: 'set', path: ['tools', name, 'approval'], value: wanted === 'ask' ? 'ask' : 'never' }]
}

type Decided = NonNullable<ToolStatus['afterUntrusted']>
type Value = Decided['value']

interface AfterUntrustedProps {
  readonly tool: ToolStatus
  /** What the policy sets, with the change that is not saved; absent where the tool decides. */
  readonly set: Value | undefined
  readonly draft: AccessDraft
}

/** What happens to a call of a tool once the model has read texts of others, for a person who changes it. */
function AfterUntrusted({ tool, set, draft }: AfterUntrustedProps): ReactNode {
  const { name, afterUntrusted } = tool
  const { error, act } = useAction()
  const choose = (wanted: string): Promise<void> => {
    const path = ['tools', name, 'afterUntrusted']
    return act(() => draft.apply([wanted === '' ? { do: 'remove', path } : { do: 'set', path, value: wanted }]))
  }
  const own = afterUntrusted?.own ?? 'ask'
  return (
    <div className="flex flex-col gap-1">
      <label className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-xs text-soft">
        <span className="min-w-0 flex-1">
          {afterUntrusted?.addresses
            ? t`An address that nobody named, after texts of others:`
            : t`A call after texts of others:`}
        </span>
        <select
          aria-label={t`${name} after texts of others`}
          value={set ?? ''}
          onChange={({ target }) => void choose(target.value)}
          className="rounded-lg border border-strong-line bg-ground px-2 py-1 text-ink"
        >
          <option value="">{t`${untrustedTitles[own]} (the tool decides)`}</option>
          {(['ask', 'refuse', 'allow'] as const).map((each) => (
            <option key={each} value={each}>
              {untrustedTitles[each]}
            </option>
          ))}
        </select>
      </label>
      {error && <ErrorNote error={error} />}
    </div>
  )
}

function setValue({ afterUntrusted }: ToolStatus): Value | undefined {
  return afterUntrusted?.rule === undefined ? undefined : afterUntrusted.value
}
