// Every test of pages in a browser: S3GD_PROGRAM=build/release/s3gd node tests/browser/all.mjs
import "./support.mjs";
import "./loads.mjs";
import "./works.mjs";
import "./looks.mjs";
