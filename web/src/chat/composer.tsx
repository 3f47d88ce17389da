import { ArrowUp, Plus, Square } from 'lucide-react'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import type { ListedCommand } from '../api/commands.ts'
import { IconButton } from '../parts/button.tsx'
import { t } from '../language/language.ts'

interface ComposerProps {
  readonly draft: string
  /** The message is on its way: nothing can be changed. */
  readonly busy: boolean
  /** Whether there is something to send besides the text, and nothing that keeps it back. */
  readonly attached: 'nothing' | 'files' | 'uploading'
  /** Commands that complete what is typed. */
  readonly completions: readonly ListedCommand[] | undefined
  readonly chooser: RefObject<HTMLInputElement | null>
  /** Below the text, beside the button for files. */
  readonly chips: ReactNode
  /** Drawn along the top of the field. */
  readonly edge: ReactNode
  onChange(draft: string): void
  /** A template was chosen from the commands. */
  onTemplate(command: ListedCommand): void
  onFiles(files: readonly File[]): void
  onSend(): Promise<void>
  /** Present while a turn runs or a message is on its way. */
  readonly onStop: (() => void) | undefined
}

/**
 * The field for the next message. Enter sends, Shift+Enter begins a line, Escape stops the running turn; behind a slash the
 * arrows choose a command.
 */
export function Composer(props: ComposerProps): ReactNode {
  const { draft, busy, attached, completions, chooser, chips, edge, onChange, onTemplate, onFiles, onSend, onStop } =
    props
  const field = useRef<HTMLTextAreaElement>(null)
  const listId = useId()
  const [mark, setMark] = useState(0)
  const [hiddenFor, setHiddenFor] = useState<string>()
  useEffect(() => fitHeight(field.current), [draft])
  useEffect(() => setMark(0), [draft])
  useEffect(() => {
    const input = chooser.current
    // A person who has looked for a file and chosen none goes on writing.
    const goOn = (): void => field.current?.focus()
    input?.addEventListener('cancel', goOn)
    return () => input?.removeEventListener('cancel', goOn)
  }, [chooser])
  const commands = hiddenFor === draft ? undefined : completions
  const marked = commands?.[Math.min(mark, commands.length - 1)]
  const cannotSend = busy || attached === 'uploading' || (draft.trim() === '' && attached === 'nothing')

  const complete = (command: ListedCommand): void => {
    const { name, argument } = command
    onChange(`/${name}${argument === undefined ? '' : ' '}`)
    setHiddenFor(`/${name}`)
    field.current?.focus()
    if (command.template !== undefined) onTemplate(command)
  }
  const send = (): void => void onSend().finally(() => field.current?.focus())

  const onListKey = (event: KeyboardEvent, list: readonly ListedCommand[]): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setMark((mark + step + list.length) % list.length)
    else if (event.key === 'Escape') setHiddenFor(draft)
    else if ((event.key === 'Tab' || event.key === 'Enter') && marked && `/${marked.name}` !== draft) complete(marked)
    else return false
    return true
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // An input method uses Enter to accept a word.
    if (event.nativeEvent.isComposing) return
    if (commands && !event.shiftKey && onListKey(event, commands)) return event.preventDefault()
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      if (!cannotSend) send()
    }
    if (event.key === 'Escape' && onStop) onStop()
  }
  const onPaste = (event: ClipboardEvent): void => {
    const { files } = event.clipboardData
    // Programs put a picture of a text beside it: the text is what is meant.
    if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return
    event.preventDefault()
    onFiles([...files])
  }

  return (
    <>
      {commands && <CommandCompletions id={listId} commands={commands} marked={mark} onChoose={complete} />}
      <div className="relative rounded-2xl border border-strong-line bg-ground shadow-sm outline-accent has-[textarea:focus-visible]:border-accent has-[textarea:focus-visible]:outline-1">
        {edge}
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label={t`Files to attach`}
          onChange={(event) => {
            onFiles([...(event.target.files ?? [])])
            event.target.value = ''
            field.current?.focus()
          }}
        />
        <label htmlFor="message" className="sr-only">
          {t`Message`}
        </label>
        <textarea
          ref={field}
          id="message"
          rows={1}
          dir="auto"
          value={draft}
          readOnly={busy}
          placeholder={t`Ask anything`}
          role={commands ? 'combobox' : undefined}
          aria-expanded={commands ? true : undefined}
          aria-controls={commands ? listId : undefined}
          aria-autocomplete={commands ? 'list' : undefined}
          aria-activedescendant={commands && marked ? `${listId}-${commands.indexOf(marked)}` : undefined}
          className="block max-h-[min(40vh,70vh-18rem)] min-h-9 w-full resize-none bg-transparent px-3.5 pt-3.5 pb-1 outline-none placeholder:text-soft"
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {/* Of two models both can be read: on a phone the second is in a row of its own. */}
        <div className="flex items-center gap-1.5 px-2 pb-2 max-sm:has-data-beside:flex-wrap">
          <IconButton
            label={t`Attach files`}
            className="rounded-full! border border-line"
            disabled={busy}
            onClick={() => chooser.current?.click()}
          >
            <Plus size={16} aria-hidden />
          </IconButton>
          {chips}
          <span className="ms-auto flex gap-1">
            {onStop && (
              <IconButton label={t`Stop`} className="rounded-full! border-2 border-current" onClick={onStop}>
                <Square size={11} fill="currentColor" aria-hidden />
              </IconButton>
            )}
            <IconButton label={t`Send`} look="primary" disabled={cannotSend} onClick={send}>
              <ArrowUp size={16} aria-hidden />
            </IconButton>
          </span>
        </div>
      </div>
    </>
  )
}

function fitHeight(field: HTMLTextAreaElement | null): void {
  if (field === null) return
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}

interface CommandCompletionsProps {
  readonly id: string
  readonly commands: readonly ListedCommand[]
  /** Position of the marked one. */
  readonly marked: number
  onChoose(command: ListedCommand): void
}

/** The commands that begin with what is typed. The focus stays in the field, which moves the mark. */
function CommandCompletions({ id, commands, marked, onChoose }: CommandCompletionsProps): ReactNode {
  return (
    <ul
      id={id}
      role="listbox"
      aria-label={t`Commands`}
      className="max-h-[30vh] overflow-y-auto rounded-lg border border-line bg-raised p-1 text-sm shadow-lg"
    >
      {commands.map((command, index) => (
        <li
          key={command.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === marked}
          ref={index === marked ? showMarked : undefined}
          className={`flex cursor-pointer flex-wrap gap-x-2 rounded px-2 py-1 ${index === marked ? 'bg-line' : ''}`}
          onMouseDown={(event) => {
            event.preventDefault()
            onChoose(command)
          }}
        >
          <span className="font-mono">
            /{command.name}
            {command.argument === undefined ? '' : ` ${command.argument}`}
          </span>
          <span className="text-soft">{command.summary}</span>
        </li>
      ))}
    </ul>
  )
}

function showMarked(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
