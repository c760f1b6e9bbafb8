/** Defines types for the parts of an OpenAPI document that Gatehouse uses. */
import type { ErrorCode } from '../../domain/base/errors.ts'
import type { Components, JsonSchema } from './schema.ts'

interface Content {
  readonly schema: JsonSchema
  readonly example: unknown
}

export interface Header {
  readonly $ref: string
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly parameters: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header'
    readonly required: boolean
    readonly description?: string
    readonly schema: JsonSchema
    readonly example?: unknown
  }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string
        readonly headers: Readonly<Record<string, Header>>
        readonly content: Readonly<Record<string, Content>>
        /** The error codes that the response can contain. */
        readonly 'x-codes'?: readonly ErrorCode[]
      }
    >
  >
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly contact: { readonly name: string }
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks?: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: {
    readonly schemas: Components
    readonly headers: object
    readonly securitySchemes: object
  }
}
