/** What is used of the package `pg`. */
declare module 'pg' {
  export interface QueryOptions {
    readonly text: string
    /** Prepared once for each connection under this name. */
    readonly name?: string
    readonly values?: readonly unknown[]
    readonly rowMode?: 'array'
  }

  export interface QueryAnswer {
    readonly command: string
    readonly rowCount: number | null
    readonly rows: readonly never[]
  }

  export interface ClientOptions {
    readonly connectionString: string
    readonly ssl?: boolean | { readonly rejectUnauthorized: boolean; readonly ca?: string }
    readonly application_name: string
    readonly keepAlive: boolean
    /** Statements are sent without a wait for the answers to those before. */
    readonly pipeline: boolean
    readonly connectionTimeoutMillis: number
    readonly types: { getTypeParser(type: number): (text: string) => unknown }
  }

  export class Client {
    constructor(options: ClientOptions)
    connect(): Promise<void>
    query(options: QueryOptions): Promise<QueryAnswer>
    end(): Promise<void>
    readonly connection: { readonly stream: { destroy(): void } }
    on(event: 'error' | 'end', listener: (error?: Error) => void): void
  }

  const pg: { readonly Client: typeof Client }
  export default pg
}
