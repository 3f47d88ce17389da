/** Why a candidate gave way, or why it is included. The numbers of the reason are keys beside its code. */
export interface Reason {
  /** One of the core's codes, or a code of the layer source. */
  readonly code: ReasonCode | (string & {})
  readonly [number: string]: number | string
}

/** Why a candidate is not all there. */
export type ReasonCode =
  /** The head wanted more than its share. */
  | 'head-share'
  /** What must be sent did not fit. */
  | 'shortage'
  /** The history was cut down to its low-water mark, in this call or an earlier one. */
  | 'low-water'
  /** A note says what it held. `unsent`: so many of the notes about it are not sent in this call, for want of room. */
  | 'noted'
  /** Older than what fits. */
  | 'budget'
  /** A call without its result, or a result without its call. */
  | 'unpaired'
  /** A person took the turn back. */
  | 'undone'
  /** A kept history begins with a user message. */
  | 'not-led-by-user'
  /** Nothing but white space. */
  | 'blank'
  /** An attachment of a turn that is not part of the input. */
  | 'no-such-turn'
  /** A marker is sent in the place of `images`: the model cannot see them. */
  | 'model-cannot-see'
  /** A marker is sent in the place of `images`, which are recordings: the model or its API takes no sound. */
  | 'model-cannot-hear'
  /** A marker is sent in the place of `images`: their bytes are no longer there. */
  | 'image-gone'
  /** A marker is sent in the place of `images`: the provider's wire has no place for them. */
  | 'wire-cannot-carry'
  /** The history is sent as messages, so it is not sent as text a second time. */
  | 'sent-as-messages'
  /** The model is given the tool once it has looked it up. */
  | 'deferred'
  /** Its owner chose to send no system prompt, or it would only have been filled into one. */
  | 'no-system-prompt'
  /** Signs that would have worked on their own, such as tokens of a chat template, are written out in it: so many of each kind. */
  | 'neutralized'
