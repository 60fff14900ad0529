/** No script, style or picture but the server's own, no frame around the page, and no text that becomes code. */
const POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	// A picture that the page has drawn itself.
	"img-src 'self' blob:",
	"manifest-src 'self'",
	"frame-ancestors 'none'",
	"base-uri 'none'",
	"form-action 'none'",
	"require-trusted-types-for 'script'",
	// The page's one policy: the address of its service worker.
	'trusted-types nancy',
].join('; ');

/**
 * The headers of every answer. There is none for other origins (CORS), and no cookie: a browser sends cookies to every port of a machine.
 */
export const HEADERS: Readonly<Record<string, string>> = {
	'content-security-policy': POLICY,
	'x-content-type-options': 'nosniff',
	'x-frame-options': 'DENY',
	'referrer-policy': 'no-referrer',
	'cross-origin-opener-policy': 'same-origin',
	'cross-origin-resource-policy': 'same-origin',
	'permissions-policy': 'camera=(), geolocation=(), microphone=()',
	'cache-control': 'no-store',
};
