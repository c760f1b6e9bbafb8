/** Parses the addresses of the stored files in `BLOB_URL`. */
import { fileURLToPath } from 'node:url'

export type BlobLocation =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'bucket'
      readonly bucket: string
      /** The beginning of each object's name. It is empty, or a path that ends with a slash. */
      readonly prefix: string
      /** The address of the server, without a trailing slash. */
      readonly endpoint: string
      /** Whether the name of the bucket is in the path of a request instead of the host name. */
      readonly isPathStyle: boolean
      readonly region: string
    }

/** Matches names that every S3 server accepts and that need no encoding in a URL. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^([A-Za-z0-9_.-]+\/)*$/
const OPTIONS = ['endpoint', 'region', 'path_style']

/** Parses one or several URLs, separated by commas. Throws an error that explains how to correct the setting. */
export const parseBlobUrls = (text: string): BlobLocation[] =>
  text.split(',').map((each) => parse(each.trim()))

function parse(text: string): BlobLocation {
  if (!URL.canParse(text)) throw new Error('Set file:///path, or s3://bucket/prefix with options.')
  const url = new URL(text)
  if (url.username || url.password)
    throw new Error('Remove the credentials from the URL. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  if (url.protocol === 'file:') return parseFolder(url)
  if (url.protocol === 's3:') return parseBucket(url)
  throw new Error('Begin the URL with file:// or s3://.')
}

function parseFolder(url: URL): BlobLocation {
  if (url.hostname || url.search || url.hash || url.pathname === '/')
    throw new Error('Set file:// and an absolute path, such as file:///var/lib/gatehouse/files.')
  return { kind: 'folder', path: fileURLToPath(url) }
}

function parseBucket({ hostname: bucket, port, pathname, searchParams, hash }: URL): BlobLocation {
  const prefix = pathname.replace(/^\/|\/$/g, '').replace(/.$/, '$&/')
  if (!BUCKET.test(bucket) || port || !PREFIX.test(prefix) || hash)
    throw new Error(
      'Set s3://bucket or s3://bucket/prefix, with letters, digits, dots, hyphens and underscores.',
    )
  const unknown = [...searchParams.keys()].find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined)
    throw new Error(`Remove the option ${unknown}. Options are ${OPTIONS.join(', ')}.`)
  const region = searchParams.get('region') || 'us-east-1'
  const endpoint = searchParams.get('endpoint') || `https://s3.${region}.amazonaws.com`
  const {
    protocol,
    host,
    pathname: path,
    username,
    search,
  } = URL.canParse(endpoint) ? new URL(endpoint) : NO_URL
  if (!/^https?:$/.test(protocol) || path !== '/' || username || search)
    throw new Error('Set endpoint to https:// and the host, without a path.')
  const pathStyle = searchParams.get('path_style') || 'false'
  if (!/^(true|false)$/.test(pathStyle)) throw new Error('Set path_style to true or false.')
  const isPathStyle = pathStyle === 'true'
  return { kind: 'bucket', bucket, prefix, endpoint: `${protocol}//${host}`, isPathStyle, region }
}

const NO_URL = { protocol: '', host: '', pathname: '', username: '', search: '' }
