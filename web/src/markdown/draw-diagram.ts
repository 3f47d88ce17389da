import library from '@mermaid-js/tiny/dist/mermaid.tiny.js?url'
import { request } from '../api/client.ts'
import { underway } from '../api/underway.ts'
import { t } from '../language/language.ts'

/** A drawing as an SVG document, with its size in px and its title, which may be empty. */
export interface Drawing {
  readonly svg: string
  readonly width: number
  readonly height: number
  readonly title: string
}

const drawings = new Map<string, Drawing>()

/** Drawings that are kept, so that what is scrolled back into view is there at once. */
const MOST_KEPT = 50

export function keptDrawing(code: string, scheme: string): Drawing | undefined {
  return drawings.get(keyOf(code, scheme))
}

/** Draws the text of a diagram in the frame, in the colours of a scheme. Rejects with a sentence where it cannot be drawn. */
export async function drawDiagram(code: string, scheme: string): Promise<Drawing> {
  const drawing = keptDrawing(code, scheme) ?? (await underway(ask(code, scheme)))
  drawings.delete(keyOf(code, scheme))
  drawings.set(keyOf(code, scheme), drawing)
  for (const oldest of [...drawings.keys()].slice(0, -MOST_KEPT)) drawings.delete(oldest)
  return drawing
}

function keyOf(code: string, scheme: string): string {
  return `${scheme} ${code}`
}

/** One diagram after the other: the library has one configuration. */
let turn: Promise<unknown> = Promise.resolve()
let frame: Frame | undefined
let asked = 0

interface Frame {
  readonly element: HTMLIFrameElement
  readonly opened: Promise<MessagePort>
}

function ask(code: string, scheme: string): Promise<Drawing> {
  const drawn = turn.then(async () => {
    frame ??= openFrame()
    const id = (asked += 1)
    let answer: unknown
    try {
      const port = await frame.opened
      port.postMessage({ id, code, scheme })
      answer = await heard(port, id)
    } catch {
      // It may draw for ever, or have lost its library: the next diagram has another frame.
      frame.element.remove()
      frame = undefined
      throw new Error(t`what draws it does not answer.`)
    }
    return drawingOf(answer)
  })
  turn = drawn.catch(() => {})
  return drawn
}

/** What the frame says to a question. Rejects where that takes too long. */
function heard(port: MessagePort, id: number | 'ready'): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const hear = ({ data }: MessageEvent<{ readonly id?: unknown } | null>): void => {
    if (data?.id === id) resolve(data)
  }
  port.addEventListener('message', hear)
  const timer = setTimeout(() => reject(new Error('timeout')), LONGEST_MS)
  return promise.finally(() => {
    clearTimeout(timer)
    port.removeEventListener('message', hear)
  })
}

/** The longest that a drawing, or the start of the frame, may take, ms. */
const LONGEST_MS = 20_000

/** The longest drawing that is shown, characters. */
const LONGEST = 5_000_000

/** The largest side of a drawing, px. */
const LARGEST = 20_000

/** The frame may say anything: what it drew is shown as an image, which runs nothing and loads nothing. */
function drawingOf(data: unknown): Drawing {
  const { svg, width, height, title, fault } = (data ?? {}) as Readonly<Record<string, unknown>>
  const isSize = (side: unknown): side is number => typeof side === 'number' && side > 0 && side <= LARGEST
  if (typeof fault === 'string') throw new Error(fault.slice(0, 300))
  if (typeof svg !== 'string' || svg.length > LONGEST || !isSize(width) || !isSize(height) || typeof title !== 'string')
    throw new Error(t`the drawing is no image, or too large.`)
  return { svg, width, height, title }
}

/**
 * The frame that draws, out of sight (`diagram-frame.ts`): it has no origin and no network, so it is handed the library, and runs
 * exactly that.
 */
function openFrame(): Frame {
  const element = document.createElement('iframe')
  element.title = t`Drawing of diagrams`
  element.src = '/diagram'
  element.sandbox.add('allow-scripts')
  element.tabIndex = -1
  element.ariaHidden = 'true'
  element.className = 'pointer-events-none invisible fixed top-0 left-0 h-px w-px'
  const loaded = new Promise((done) => element.addEventListener('load', done, { once: true }))
  document.body.append(element)
  const open = async (): Promise<MessagePort> => {
    const [script] = await Promise.all([request(library, {}).then((answer) => answer.text()), loaded])
    const { port1, port2 } = new MessageChannel()
    port1.start()
    const ready = heard(port1, 'ready')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a frame without an origin has no other target
    element.contentWindow?.postMessage(script, '*', [port2])
    await ready
    return port1
  }
  return { element, opened: open() }
}
