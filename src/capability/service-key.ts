/** Names the service of a capability together with its type: `runtime.capability(fileLibrary)`. */
export interface ServiceKey<Service> {
  /** Name of the capability. */
  readonly name: string
  /** Only for the type: never set. */
  readonly service?: (service: Service) => Service
}

/** A key for what the capability of this name returns from `start`. */
export function serviceKey<Service>(name: string): ServiceKey<Service> {
  return { name }
}
