import { defined } from '../../platform.ts'
import type { Message } from 'grammy/types'

/** A file that came with a message and still lies with Telegram. */
export interface ParsedFile {
  readonly id: string
  readonly name: string
  /** Bytes, where Telegram says so. */
  readonly size?: number
}

/** Photos in their largest size, documents, and whatever else has bytes, each under the best name there is. */
export function filesOf(message: Message): readonly ParsedFile[] {
  const { photo, document, audio, voice, video, video_note: note } = message
  const named = (base: string) => `${base}-${message.message_id}`
  const largest = photo?.toSorted((one, other) => one.width * one.height - other.width * other.height).at(-1)
  return [
    ...(largest ? [parsedFile(largest, `${named('photo')}.jpg`)] : []),
    ...(document ? [parsedFile(document, plainName(document.file_name) || named('file'))] : []),
    ...(audio ? [parsedFile(audio, plainName(audio.file_name) || `${named('audio')}.mp3`)] : []),
    ...(voice ? [parsedFile(voice, `${named('voice')}.ogg`)] : []),
    ...(video ? [parsedFile(video, plainName(video.file_name) || `${named('video')}.mp4`)] : []),
    ...(note ? [parsedFile(note, `${named('video')}.mp4`)] : []),
  ]
}

/** What a person called a file, as one line without folders. */
function plainName(name = ''): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').toWellFormed()
  const last = line.slice(Math.max(line.lastIndexOf('/'), line.lastIndexOf('\\')) + 1)
  return Array.from(last).slice(-LONGEST_NAME).join('').trim()
}

/** Characters; the end of a name says what kind of file it is. */
const LONGEST_NAME = 200

function parsedFile(
  { file_id: id, file_size: size }: { readonly file_id: string; readonly file_size?: number | undefined },
  name: string,
): ParsedFile {
  return { id, name, ...defined({ size }) }
}
