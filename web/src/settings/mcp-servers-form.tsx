import { type ReactNode, useState } from 'react'
import { Select, TextArea, TextField } from '../parts/fields.tsx'
import { useLate } from '../parts/use-now.ts'
import { useLeaveNotice } from './leave-notice.ts'
import { fieldsOf, type ServerFields, serverOf, type WrittenServer } from './mcp-servers-fields.ts'
import { ServerReview } from './mcp-servers-review.tsx'
import { t } from '../language/language.ts'

/** What was typed and not saved, by the name of the server; of a new one by no name. Kept while the page is open. */
const unsaved = new Map<string, ServerFields>()

export function isUnsaved(name: string): boolean {
  return unsaved.has(name)
}

interface ServerFormProps {
  /** Empty: a new server. */
  readonly name: string
  readonly written: WrittenServer | undefined
  onClose(): void
}

/** The fields of a server, and `config.json` as it will be with them. */
export function ServerForm({ name, written, onClose }: ServerFormProps): ReactNode {
  const [fields, setFields] = useState(() => unsaved.get(name) ?? fieldsOf(name, written))
  const change = (next: Partial<ServerFields>): void => {
    const all = { ...fields, ...next }
    unsaved.set(name, all)
    setFields(all)
  }
  const settled = useLate(fields, 250)
  const leaving = useLeaveNotice(unsaved.has(name))
  const close = (): void => {
    unsaved.delete(name)
    leaving.current = false
    onClose()
  }
  const server = serverOf(settled)
  const isFilled = settled.name.trim() !== '' && (server.command ?? server.url) !== ''
  return (
    <section
      aria-label={name === '' ? t`New server` : t`Change ${name}`}
      className="flex flex-col gap-3 rounded-lg border border-line bg-raised p-3"
    >
      {name === '' && (
        <TextField
          label={t`Name`}
          hint={t`Its tools are named after it: ${fields.name.trim() || 'NAME'}__tool.`}
          spellCheck={false}
          value={fields.name}
          onChange={({ target }) => change({ name: target.value })}
        />
      )}
      <Select
        label={t`The server`}
        value={fields.kind}
        options={[
          { value: 'program', title: t`is a program on this machine` },
          { value: 'address', title: t`is reached at an address` },
        ]}
        onChange={({ target }) => change({ kind: target.value as ServerFields['kind'] })}
      />
      {fields.kind === 'program' ? (
        <ProgramFields fields={fields} change={change} />
      ) : (
        <AddressFields fields={fields} change={change} />
      )}
      <TextField
        label={t`Time to connect, ms`}
        hint={t`10,000 unless given.`}
        inputMode="numeric"
        value={fields.connectTimeoutMs}
        onChange={({ target }) => change({ connectTimeoutMs: target.value.replaceAll(/\D/g, '') })}
      />
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          className="accent-accent"
          checked={fields.enabled}
          onChange={({ target }) => change({ enabled: target.checked })}
        />
        {t`Use this server`}
      </label>
      {isFilled ? (
        <ServerReview
          change={{ name: settled.name.trim(), server }}
          isBehind={settled !== fields}
          action={fields.enabled ? t`Save and start` : t`Save`}
          onSaved={close}
          onCancel={close}
        >
          {fields.enabled && server.command !== undefined && (
            <p className="break-words text-warn">
              {t`Saving starts ${[server.command, ...(server.args ?? [])].join(' ')} on this machine, with your rights.`}
            </p>
          )}
        </ServerReview>
      ) : (
        <button type="button" className="self-end text-sm text-accent underline" onClick={close}>
          {t`Cancel`}
        </button>
      )}
    </section>
  )
}

interface PartProps {
  readonly fields: ServerFields
  change(next: Partial<ServerFields>): void
}

function ProgramFields({ fields, change }: PartProps): ReactNode {
  return (
    <>
      <TextField
        label={t`Command`}
        placeholder="npx"
        spellCheck={false}
        value={fields.command}
        onChange={({ target }) => change({ command: target.value })}
      />
      <TextArea
        mono
        dir="ltr"
        spellCheck={false}
        label={t`Arguments`}
        hint={t`One in each line.`}
        value={fields.args}
        onChange={({ target }) => change({ args: target.value })}
      />
      <TextArea
        mono
        dir="ltr"
        spellCheck={false}
        label={t`Environment`}
        hint={t`NAME=VARIABLE in each line: the variable of the program, and the gateway's with its value. Never a secret itself.`}
        value={fields.environment}
        onChange={({ target }) => change({ environment: target.value })}
      />
      <TextField
        label={t`Folder`}
        hint={t`Relative to the home; the home itself unless given.`}
        spellCheck={false}
        value={fields.directory}
        onChange={({ target }) => change({ directory: target.value })}
      />
      <Select
        label={t`Sandbox`}
        hint={t`What the program may reach.`}
        value={fields.sandbox}
        onChange={({ target }) => change({ sandbox: target.value as ServerFields['sandbox'] })}
        options={[
          { value: 'off', title: t`None: it can do what you can` },
          { value: 'network', title: t`The workspace and the network` },
          { value: 'closed', title: t`The workspace alone` },
        ]}
      />
    </>
  )
}

function AddressFields({ fields, change }: PartProps): ReactNode {
  return (
    <>
      <TextField
        label={t`Address`}
        placeholder="https://tracker.example/mcp"
        spellCheck={false}
        value={fields.url}
        onChange={({ target }) => change({ url: target.value })}
      />
      <TextArea
        mono
        dir="ltr"
        spellCheck={false}
        label={t`Headers`}
        hint={t`name=VARIABLE in each line: the header, and the gateway's variable with its value. Never a secret itself.`}
        value={fields.headers}
        onChange={({ target }) => change({ headers: target.value })}
      />
    </>
  )
}
