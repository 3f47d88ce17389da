import { memo, type ReactNode, useEffect, useState } from 'react'
import { begin } from '../api/underway.ts'
import { CopyButton } from '../parts/copy-text.tsx'
import { late } from '../parts/late.tsx'
import { LongText } from '../parts/long-text.tsx'
import type { CodeLanguage, CodeToken } from './highlight.ts'
import { t } from '../language/language.ts'

interface CodeBlockProps {
  readonly code: string
  readonly language: string | undefined
  /** Nothing of it is still arriving. */
  readonly isWhole: boolean
}

const Diagram = late(
  () => import('./diagram.tsx'),
  ({ children }) => children,
)
const Preview = late(() => import('./preview.tsx'))

/** What a browser can draw. */
const drawn: ReadonlySet<string> = new Set(['html', 'svg', 'xhtml'])

/** Drawings often have the name of the language that they are written in. */
function isDrawn(language = '', code: string): boolean {
  const name = language.toLowerCase()
  return drawn.has(name) || (name === 'xml' && /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)?<svg\b/.test(code))
}

type Lines = readonly (readonly CodeToken[])[]

/** Longer code, or code with a longer line, stays without colours. Characters. */
const LONGEST = 50_000
const LONGEST_LINE = 2_000

/** A block of code with a button that copies it. Its colours come when the highlighter is there, and are no part of the text. */
export function CodeBlock({ code, language, isWhole }: CodeBlockProps): ReactNode {
  const coloured = useHighlight(code, language)
  /** The code as it was when it was asked for: what still arrives does not load the frame again. */
  const [previewed, setPreviewed] = useState<string>()
  const isDiagram = isWhole && language?.toLowerCase() === 'mermaid' && code.length <= LONGEST
  const [asCode, setAsCode] = useState(false)
  const text = (
    <pre
      hidden={previewed !== undefined}
      className="overflow-x-auto p-3 font-mono text-[13px] leading-relaxed"
      tabIndex={0}
      aria-label={t`Code`}
    >
      <code>{coloured ? <Coloured code={code} {...coloured} /> : <LongText text={code} />}</code>
    </pre>
  )
  return (
    <figure dir="ltr" className="my-3 overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex items-center justify-between gap-2 border-b border-line px-3 py-1 text-xs text-soft">
        <span className="truncate">{language === undefined || language === '' ? 'text' : language}</span>
        <span className="flex gap-1">
          {isDiagram && <Toggle onClick={() => setAsCode(!asCode)}>{asCode ? t`Diagram` : t`Code`}</Toggle>}
          {isDrawn(language, code) && (
            <Toggle onClick={() => setPreviewed(previewed === undefined ? code : undefined)}>
              {previewed === undefined ? t`Preview` : t`Code`}
            </Toggle>
          )}
          <CopyButton text={code} />
        </span>
      </figcaption>
      {previewed !== undefined && <Preview code={previewed} />}
      {isDiagram && !asCode ? <Diagram code={code}>{text}</Diagram> : text}
    </figure>
  )
}

/** Shows the same in another form. */
function Toggle({ onClick, children }: { onClick(): void; readonly children: string }): ReactNode {
  return (
    <button type="button" className="rounded px-2 py-0.5 hover:bg-raised" onClick={onClick}>
      {children}
    </button>
  )
}

/** While code is still arriving, the colours of its lines so far stay, and the rest is plain. */
function Coloured({
  code,
  of,
  lines,
}: {
  readonly code: string
  readonly of: string
  readonly lines: Lines
}): ReactNode {
  return (
    <>
      {lines.map((line, index) => (
        <Line key={index} line={line} first={index === 0} />
      ))}
      {code.slice(of.length)}
    </>
  )
}

const Line = memo(({ line, first }: { readonly line: readonly CodeToken[]; readonly first: boolean }): ReactNode => (
  <>
    {first ? '' : '\n'}
    {line.map(({ text, color, italic, bold }, index) => (
      <span key={index} style={{ color, fontStyle: italic ? 'italic' : undefined, fontWeight: bold ? 600 : undefined }}>
        {text}
      </span>
    ))}
  </>
))

/** The colours of the code, or of its beginning; `undefined` until there are any. */
function useHighlight(
  code: string,
  name: string | undefined,
): { readonly of: string; readonly lines: Lines } | undefined {
  const [coloured, setColoured] = useState<{ readonly of: string; readonly lines: Lines }>()
  const language = codeLanguage(name)
  useEffect(() => {
    if (language === undefined || code.length > LONGEST || code.split('\n').some((line) => line.length > LONGEST_LINE))
      return
    let current = true
    // Code that still arrives changes with every frame: it is coloured when it rests for a moment.
    const colour = async (): Promise<void> => {
      const { highlight } = await import('./highlight.ts')
      const lines = await highlight(code, language)
      if (current) setColoured({ of: code, lines })
    }
    // Without the highlighter the code is shown without colours.
    const rested = begin()
    const timer = setTimeout(() => void colour().then(rested, rested), 60)
    return () => {
      current = false
      clearTimeout(timer)
      rested()
    }
  }, [code, language])
  return coloured !== undefined && language !== undefined && code.startsWith(coloured.of) ? coloured : undefined
}

/** Each language with its other usual names. */
const languages: readonly (readonly [CodeLanguage, ...string[]])[] = [
  ['bash', 'sh', 'shell', 'zsh', 'console'],
  ['c', 'h'],
  ['css'],
  ['diff', 'patch'],
  ['go', 'golang'],
  ['html', 'svg', 'xml'],
  ['java'],
  ['javascript', 'js', 'mjs', 'cjs'],
  ['json', 'jsonc'],
  ['markdown', 'md'],
  ['python', 'py'],
  ['rust', 'rs'],
  ['sql'],
  ['toml', 'ini'],
  ['tsx', 'jsx'],
  ['typescript', 'ts'],
  ['yaml', 'yml'],
]

/** The language that a fence names, by any of its usual names; `undefined` for one that is not coloured. */
function codeLanguage(name = ''): CodeLanguage | undefined {
  return languages.find((names) => names.includes(name.toLowerCase()))?.[0]
}
