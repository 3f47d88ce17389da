import type { Unreadable } from './document.ts'
import { numberText } from '../context.ts'

/** The limits for reading one file. Beyond one of them, the result is an `Unreadable` that names the limit. */
export interface ReadingLimits {
  /** Bytes of the file. 50 MiB unless given. */
  readonly bytes: number
  /** Characters of its text. 5,000,000 unless given. A spreadsheet is cut there, with a note. */
  readonly characters: number
  /** Pages of a PDF. 5,000 unless given. */
  readonly pages: number
  /** Bytes that the parts of a docx or xlsx may have when they are unpacked, all together. 256 MiB unless given. */
  readonly unpackedBytes: number
  /** Parts of a docx or xlsx. 10,000 unless given. */
  readonly parts: number
  /** Largest memory of the process that reads, bytes. 1 GiB unless given. */
  readonly memoryBytes: number
  /**
   * Milliseconds of the processor for a large file; waiting does not count. A small one gets less (`readingTimeMs`). 60,000
   * unless given.
   */
  readonly timeMs: number
}

export const usualLimits: ReadingLimits = {
  bytes: 50 * 2 ** 20,
  characters: 5_000_000,
  pages: 5000,
  unpackedBytes: 256 * 2 ** 20,
  parts: 10_000,
  memoryBytes: 2 ** 30,
  timeMs: 60_000,
}

/** What every file gets, ms: a process has to start first, on a busy machine as well. */
const LEAST_MS = 10_000

/** Bytes that bring another millisecond: from 5 MB on a file gets a minute. */
const BYTES_PER_MS = 100

/** The time limit of a file of so many bytes, ms. A few bytes that unfold to endless work do not get the time of a book. */
export function readingTimeMs(bytes: number, { timeMs }: ReadingLimits): number {
  return Math.min(timeMs, LEAST_MS + Math.ceil(bytes / BYTES_PER_MS))
}

/** `50 MiB`, for sentences; small sizes in bytes. */
export function sizeInWords(bytes: number): string {
  const mebibytes = bytes / 2 ** 20
  if (mebibytes < 1) return `${numberText(bytes)} bytes`
  return `${numberText(Math.round(mebibytes * 10) / 10)} MiB`
}

/** A file is refused by its size before anybody reads it. */
export function tooManyBytes(bytes: number, most: number): ReadingFault {
  return new ReadingFault('too-large', `the file has ${sizeInWords(bytes)}; at most ${sizeInWords(most)} are read`)
}

export function tooManyCharacters(characters: number, most: number): ReadingFault {
  return new ReadingFault(
    'too-large',
    `its text has ${numberText(characters)} characters; at most ${numberText(most)} are taken`,
  )
}

/** Ends the reading of a file with the code and the reason of its `Unreadable`. Internal: never reaches a caller. */
export class ReadingFault extends Error {
  readonly code: Unreadable['code']

  constructor(code: Unreadable['code'], reason: string) {
    super(reason)
    this.code = code
  }
}
