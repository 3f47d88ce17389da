/** The reason to abort a turn with when the process is going down and the turn is to go on at the next start. */
export const stopping = 'stopping'
