import { useState } from 'react'
import { useSWRConfig } from 'swr'
import { useLocation } from 'wouter'
import { api, type ApiError } from '../api/client.ts'
import type { CommandList, ListedCommand } from '../api/commands.ts'
import { useResource } from '../api/resources.ts'
import { type TemplateList, TEMPLATES, withTemplates } from '../api/templates.ts'
import { openOverlay } from '../parts/overlays.ts'
import { showToast } from '../parts/toasts.tsx'
import { composeNext, composeText } from './composed-text.ts'
import { t } from '../language/language.ts'

/** The result of a command, until it is closed. */
export interface CommandResult {
  readonly title: string
  readonly text: string
}

interface Commands {
  readonly list: CommandList | undefined
  /** The list, waited for if it is not there yet; `undefined` where the gateway does not answer. */
  listed(): Promise<CommandList | undefined>
  readonly result: CommandResult | undefined
  closeResult(): void
  /** Rejects with `ApiError` where it could not be done. */
  run(command: ListedCommand, argument: string): Promise<void>
}

/**
 * The commands of a conversation: those of the page are done here, all others by the gateway. Templates are among them once
 * `typed`: a command is being typed.
 */
export function useCommands(session: string | undefined, typed: boolean, attach: () => void): Commands {
  const { data: commands } = useResource<CommandList>('/api/commands', { revalidateOnFocus: false })
  const { data: saved } = useResource<TemplateList>(typed ? TEMPLATES : undefined)
  const list = commands && withTemplates(commands, saved?.templates)
  const { mutate } = useSWRConfig()
  const [, navigate] = useLocation()
  const [result, setResult] = useState<CommandResult>()

  async function runAtGateway(name: string, argument: string): Promise<void> {
    const body = { argument, ...(session === undefined ? {} : { session }) }
    const answer = await api<CommandAnswer>(`/api/commands/${encodeURIComponent(name)}`, { method: 'POST', body })
    const { text = t`Done.` } = answer
    await mutate((key) => typeof key === 'string' && key.startsWith('/api/sessions'))
    if (session === undefined && answer.session !== undefined) {
      showToast({ text })
      navigate(`/sessions/${encodeURIComponent(answer.session)}`)
    } else {
      setResult({ title: `/${name} ${argument}`.trimEnd(), text })
    }
  }

  const ofPage: Readonly<Record<string, (argument: string) => void>> = {
    new(words) {
      if (session === undefined) return words === '' ? undefined : composeText(words)
      if (words !== '') composeNext(words)
      navigate('/')
    },
    sessions: () => openOverlay('palette'),
    file: attach,
    help: () => openOverlay('keys'),
  }

  return {
    list,
    async listed() {
      const known = commands ?? (await api<CommandList>('/api/commands').catch(() => undefined))
      // One may have been made elsewhere since they were listed.
      const { templates } = await api<TemplateList>(TEMPLATES).catch(() => saved ?? { templates: [] })
      return known && withTemplates(known, templates)
    },
    result,
    closeResult: () => setResult(undefined),
    async run({ name }, argument) {
      const own = Object.hasOwn(ofPage, name) ? ofPage[name] : undefined
      if (own) return own(argument)
      await runAtGateway(name, argument)
    },
  }
}

interface CommandAnswer {
  readonly text?: string
  readonly session?: string
}

export function unknownCommand(name: string): Pick<ApiError, 'message' | 'hint'> {
  return {
    message: t`There is no command /${name}. The line was not sent.`,
    hint: t`Type / to see all commands. To send the line as a message, begin it with a space.`,
  }
}
