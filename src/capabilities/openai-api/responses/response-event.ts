/** One event of a stream, in OpenAI's format, without its number. */
export interface ResponseEvent extends Readonly<Record<string, unknown>> {
  readonly type: string
}
