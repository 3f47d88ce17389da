import type { AnyMessage, Message, ToolOutput } from './message.ts'

/** Which images and recordings of a request reach the model. Absent in an assembly: all of them. */
export interface ImageSupport {
  /** Whether the model sees images. */
  readonly seen: boolean
  /** The model hears recordings, and the API of its provider has them. */
  readonly audio?: true
  /** Whether images of tool results reach the model, in them or after them. No API accepts images in messages of a model. */
  readonly inResults: boolean
  /** Whether the provider's wire carries images as web addresses, not only as bytes. */
  readonly byAddress: boolean
  /** Ids of stored images and recordings that are no longer there: `reference.foreword` of their parts. */
  readonly gone?: readonly string[]
}

/** Why a marker is sent in the place of an image. */
export type MarkerCode = 'model-cannot-see' | 'model-cannot-hear' | 'image-gone' | 'wire-cannot-carry'

/** A message in which markers are sent in the place of images, and what was replaced. */
interface MarkedMessage {
  readonly message: Message
  readonly images: number
  /** Of the first image that was replaced. */
  readonly code: MarkerCode
}

/**
 * A message as it reaches the model: a text marker in the place of each image that cannot (BEHAVIOURS §3.4). `undefined`
 * where every image does, and where there is none.
 */
export function markImages(message: AnyMessage, support: ImageSupport): MarkedMessage | undefined {
  if (typeof message.content === 'string') return undefined
  const replaced: MarkerCode[] = []
  const marked = changedParts(message, (part, inResult) => {
    const image = findImage(part)
    const code = image && markerCode(image, support, inResult ? support.inResults : message.role === 'user')
    if (!code) return part
    replaced.push(code)
    return { type: 'text', text: markerText(code, image, support) }
  })
  const [code] = replaced
  return code === undefined ? undefined : { message: marked as Message, images: replaced.length, code }
}

type MessagePart = Exclude<AnyMessage['content'], string>[number]
type OutputPart = Extract<ToolOutput, { type: 'content' }>['value'][number]

/** A message with its parts, and those of its results, as `change` gives them; the same message where nothing changes. */
export function changedParts<Given extends AnyMessage>(
  message: Given,
  change: (part: MessagePart | OutputPart, inResult: boolean) => object,
): Given {
  if (typeof message.content === 'string') return message
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result') return change(part, false)
    if (part.output.type !== 'content') return part
    const before = part.output.value
    const value = before.map((each) => change(each, true))
    return value.every((each, index) => each === before[index]) ? part : { ...part, output: { ...part.output, value } }
  })
  return content.every((part, index) => part === message.content[index]) ? message : { ...message, content }
}

interface Image {
  readonly kind: 'image' | 'audio'
  readonly name: string | undefined
  readonly address: boolean
  /** Of a stored image. */
  readonly id: string | undefined
}

/** The image or the recording that a part is, in any of the AI SDK's forms. */
function findImage(part: object): Image | undefined {
  const { type, mediaType, filename, image, data } = part as {
    readonly type?: string
    readonly mediaType?: string
    readonly filename?: string
    readonly image?: unknown
    readonly data?: unknown
  }
  const kind = mediaType?.startsWith('audio') ? 'audio' : 'image'
  const about = { kind, name: filename, id: undefined } as const
  if (type === 'image') return { ...about, address: isAddress(image) }
  if (type === 'image-data' || type === 'image-file-id') return { ...about, address: false }
  if (type === 'image-url') return { ...about, address: true }
  if (!mediaType?.startsWith(kind)) return undefined
  if (type === 'file-url') return { ...about, address: true }
  if (type === 'file-data') return { ...about, address: false }
  return type === 'file' ? { ...about, address: isAddress(data), id: storedImage({ type, data }) } : undefined
}

/** An image or a recording of a session, kept as one of its files. */
export interface StoredImage {
  readonly file: string
  readonly name: string
  readonly mediaType: string
  /** In pixels, where they are known. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly seconds?: number | undefined
}

/** A stored image as a part of a message, or of a result of a tool. */
export function storedImagePart({ file, name, mediaType, width, height, seconds }: StoredImage) {
  const length = seconds === undefined ? {} : { seconds }
  const size = width === undefined || height === undefined ? length : { width, height }
  const data = { type: 'reference' as const, reference: { foreword: file } }
  return { type: 'file' as const, mediaType, filename: name, data, providerOptions: { foreword: size } }
}

export function storedImages(message: AnyMessage): readonly string[] {
  if (typeof message.content === 'string') return []
  const ids: string[] = []
  changedParts(message, (part) => {
    const id = storedImage(part)
    if (id !== undefined) ids.push(id)
    return part
  })
  return ids
}

/** The id of the stored image that a part refers to; its bytes are filled in when the request leaves. */
export function storedImage(part: { readonly type: string; readonly data?: unknown }): string | undefined {
  if (part.type !== 'file') return undefined
  const { reference } = (part.data ?? {}) as { readonly reference?: { readonly foreword?: unknown } }
  return typeof reference?.foreword === 'string' ? reference.foreword : undefined
}

function isAddress(data: unknown): boolean {
  if (typeof data === 'string') return /^https?:/i.test(data)
  if (data instanceof URL) return data.protocol !== 'data:'
  return (data as { readonly type?: unknown } | undefined)?.type === 'url'
}

function markerCode({ kind, address, id }: Image, support: ImageSupport, hasPlace: boolean): MarkerCode | undefined {
  if (kind === 'audio' && !support.audio) return 'model-cannot-hear'
  if (kind === 'image' && !support.seen) return 'model-cannot-see'
  if (id !== undefined && support.gone?.includes(id)) return 'image-gone'
  return hasPlace && (support.byAddress || !address) ? undefined : 'wire-cannot-carry'
}

function markerText(code: MarkerCode, { kind, name, address }: Image, { byAddress }: ImageSupport): string {
  return `[${kind}${name ? ` ${name}` : ''}: ${reasonText(code, address && !byAddress)}]`
}

function reasonText(code: MarkerCode, byAddress: boolean): string {
  if (code === 'model-cannot-see') return 'this model cannot see images'
  if (code === 'model-cannot-hear') return 'this model, or the API of its provider, takes no sound'
  if (code === 'image-gone') return 'it is no longer there'
  return byAddress
    ? 'this provider takes images as data only, not by address'
    : 'this provider takes images in user messages only'
}
