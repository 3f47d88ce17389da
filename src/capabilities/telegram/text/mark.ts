/** What a stretch of text is, before Telegram's rules of what may stand within what. */
export type Mark = { readonly start: number; readonly end: number } & MarkKind

export type MarkKind =
  | { readonly type: Style }
  | { readonly type: 'code' | 'blockquote' }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string }

export type Style = 'bold' | 'italic' | 'strikethrough'
