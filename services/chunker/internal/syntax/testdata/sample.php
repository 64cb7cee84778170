<?php
declare(strict_types=1);
namespace Acme\Http;

use Foo\Bar;

/** Doc. */
abstract class Client extends Base implements X
{
    use T;
    public const A = 1;
    private $x = 1;
    /** Doc. */
    #[Attr]
    public function send(int $a): string
    {
        return 'a';
    }
    abstract protected function go();
}
interface I { public function m(); }
trait T { function t() {} }
enum Suit: string { case Hearts = 'H'; public function label() {} }
function top($x) { return 1; }
const B = 2;
define('C', 3);
$f = function () {};
