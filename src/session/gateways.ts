/** A process that writes to a store that several machines reach, or that stands by for the one that does. */
export interface GatewayRow {
  readonly id: string
  /** The name of its machine. */
  readonly host: string
  readonly pid: number
  /** Absent until it listens. */
  readonly address?: string
  readonly version: string
  /** ISO 8601, like all times here; by the clock of the database. */
  readonly started: string
  readonly heartbeat: string
  /** `lost`: it has given no sign of life for its lease, and may be dead, frozen or cut off. */
  readonly state: 'active' | 'standby' | 'lost'
  /** Since when it is active. */
  readonly since?: string
}

/** What a process says of itself to the others. */
export interface GatewayFacts {
  readonly host: string
  readonly version: string
  /** Absent: it says itself that it is alive, when it comes to that. */
  readonly signs?: LifeSigns | undefined
}

/** Signs of life of this process that no work in it delays. Those of all its stores are the same. */
export interface LifeSigns {
  /** Under which name the database knows them; `undefined`: nobody is to look for them. */
  name(): string | undefined
  /** Whether the database does not answer, so that others may take this process for lost. */
  isSilent(): boolean
  close(): Promise<void>
}

/** The processes on one store. Only a store that several machines reach has it. */
export interface Gateways {
  /** This process. */
  readonly id: string
  /** Whether it stood by before, and took the store over. */
  readonly tookOver: boolean
  /** Whether the database has not confirmed anything for the lease, so that another process may have taken over. */
  isCutOff(): boolean
  /** The active one first, then by their start. */
  list(): Promise<readonly GatewayRow[]>
  /** Tells the others where it listens. */
  announce(address: string): Promise<void>
}

/** What a process can do while another one has the store. */
export interface Waiting extends Pick<Gateways, 'id' | 'list' | 'announce'> {
  /** As it was last seen; `undefined`: nobody has the store, and this process is about to take it. */
  active(): GatewayRow | undefined
}

/** How a process waits for a store that another one has. */
export interface Standby {
  readonly gateway: GatewayFacts
  /** Called once, where it has to wait. */
  readonly waits: (waiting: Waiting) => void
  /** Ends the wait: the store is not opened, and the promise rejects with `closed`. */
  readonly signal?: AbortSignal | undefined
  readonly warn?: ((text: string) => void) | undefined
}
