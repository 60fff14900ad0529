import { createHash } from 'node:crypto';

/** Characters of no meaning, always the same for a seed. Secrets are put together here, so that no scanner takes this file for a leak. */
function made(alphabet: string, length: number, seed: string): string {
	let text = '';
	for (let round = 0; text.length < length; round++)
		for (const byte of createHash('sha512').update(`${seed} ${round}`).digest())
			text += alphabet.charAt(byte % alphabet.length);
	return text.slice(0, length);
}
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALL = LOWER + UPPER + DIGITS;
export const alnum = (length: number) => made(ALL, length, 'alnum');
export const hex = (length: number) => made('0123456789abcdef', length, 'hex');
const caps = (length: number) => made(UPPER + DIGITS, length, 'caps');
const base64 = (length: number) => made(`${ALL}+/`, length, 'base64');
const lower = (length: number) => made(LOWER + DIGITS, length, 'lower');

/** What tokens of vendors look like. */
export const tokens: Readonly<Record<string, string>> = {
	anthropic: `sk-ant-api03-${alnum(93)}AA`,
	openai: `sk-proj-${alnum(48)}`,
	groq: `gsk_${alnum(52)}`,
	xai: `xai-${alnum(80)}`,
	replicate: `r8_${alnum(37)}`,
	'hugging face': `hf_${alnum(34)}`,
	perplexity: `pplx-${alnum(48)}`,
	nvidia: `nvapi-${alnum(60)}`,
	'github classic': `ghp_${alnum(36)}`,
	'github oauth': `gho_${alnum(36)}`,
	'github app': `ghs_${alnum(36)}`,
	'github fine': `github_pat_${alnum(22)}_${alnum(59)}`,
	'gitlab personal': `glpat-${alnum(20)}`,
	'gitlab runner': `glrt-${alnum(20)}`,
	'gitlab runner with its type': `glrt-t1_${alnum(20)}`,
	'gitlab deploy': `gldt-${alnum(20)}`,
	'gitlab trigger': `glptt-${hex(40)}`,
	'atlassian api': `ATATT3xFfGF0${alnum(60)}=${caps(8)}`,
	'bitbucket app password': `ATBB${alnum(32)}`,
	npm: `npm_${alnum(36)}`,
	pypi: `pypi-AgEIcHlwaS5vcmc${alnum(60)}`,
	'test pypi': `pypi-AgENdGVzdC5weXBpLm9yZw${alnum(60)}`,
	rubygems: `rubygems_${hex(48)}`,
	nuget: `oy2${lower(43)}`,
	'docker hub': `dckr_pat_${alnum(27)}`,
	'docker organisation': `dckr_oat_${alnum(32)}`,
	'aws id': `AKIA${caps(16)}`,
	'aws temporary id': `ASIA${caps(16)}`,
	'aws secret, bare': `wJ4lrXU3nFE0${base64(28)}`,
	'google api': `AIzaSy${alnum(33)}`,
	'google oauth': `ya29.a0${alnum(60)}`,
	'google api of 2025': `AQ.Ab8${alnum(40)}`,
	vercel: `vercel_${alnum(24)}`,
	facebook: `EAACEdEose0cBA${alnum(60)}`,
	'google client': `GOCSPX-${alnum(28)}`,
	'google refresh': `1//0${alnum(42)}`,
	'azure client': `abc8Q~${alnum(34)}`,
	alibaba: `LTAI${alnum(20)}`,
	'digital ocean': `dop_v1_${hex(64)}`,
	'vault service': `hvs.${alnum(90)}`,
	'vault batch': `hvb.${alnum(120)}`,
	terraform: `${alnum(14)}.atlasv1.${alnum(67)}`,
	databricks: `dapi${hex(32)}`,
	'databricks with its number': `dapi${hex(32)}-2`,
	planetscale: `pscale_tkn_${alnum(43)}`,
	supabase: `sbp_${hex(40)}`,
	netlify: `nfp_${alnum(36)}`,
	pulumi: `pul-${hex(40)}`,
	tailscale: `tskey-auth-${alnum(12)}CNTRL-${alnum(24)}`,
	'1password': `ops_eyJ${alnum(80)}`,
	dynatrace: `dt0c01.${caps(24)}.${caps(64)}`,
	'stripe live': `sk_live_${alnum(24)}`,
	'stripe restricted': `rk_live_${alnum(24)}`,
	'stripe webhook': `whsec_${alnum(32)}`,
	'svix webhook': `whsec_${base64(32)}`,
	'shopify app': `shpat_${hex(32)}`,
	'shopify shared': `shpss_${hex(32)}`,
	square: `sq0atp-${alnum(22)}`,
	sendgrid: `SG.${alnum(22)}.${alnum(43)}`,
	brevo: `xkeysib-${hex(64)}-${alnum(16)}`,
	mailgun: `key-${hex(32)}`,
	hubspot: `pat-na1-${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`,
	'sentry organisation': `sntrys_eyJ${alnum(80)}=_${alnum(43)}`,
	'sentry user': `sntryu_${hex(64)}`,
	'new relic': `NRAK-${caps(27)}`,
	'new relic license': `NRII-${alnum(32)}`,
	'grafana service': `glsa_${alnum(32)}_${hex(8)}`,
	'grafana cloud': `glc_eyJ${alnum(60)}`,
	figma: `figd_${alnum(40)}`,
	'linear api': `lin_api_${alnum(40)}`,
	'linear oauth': `lin_oauth_${hex(64)}`,
	notion: `ntn_${alnum(46)}`,
	'notion before': `secret_${alnum(43)}`,
	postman: `PMAK-${hex(24)}-${hex(34)}`,
	contentful: `CFPAT-${alnum(43)}`,
	doppler: `dp.pt.${alnum(43)}`,
	'slack bot': `xoxb-${DIGITS}-${DIGITS}-${alnum(24)}`,
	'slack app': `xapp-1-A0B1C2D3-${DIGITS}-${hex(40)}`,
	'slack refresh': `xoxe.xoxp-1-${alnum(60)}`,
	discord: `MTA5${alnum(22)}.G${alnum(5)}.${alnum(38)}`,
	telegram: `5123456789:AA${alnum(33)}`,
	age: `AGE-SECRET-KEY-1${caps(58)}`,
	jwt: `eyJ${alnum(20)}.eyJ${alnum(40)}.${alnum(43)}`,
};
