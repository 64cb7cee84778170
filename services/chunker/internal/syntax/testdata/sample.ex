defmodule Phoenix.Router do
  @moduledoc """
  Doc.
  """
  use Foo
  alias A.B
  import C
  require D
  @limit 10

  @doc "Doc."
  @spec run(integer) :: integer
  def run(a) when a > 1 do
    a
  end
  def run(a), do: a
  defp helper(x, y \\ 1) do
    x
  end
  defmacro mac(x) do
    x
  end
  defstruct [:a, :b]
  defimpl Inspect do
    def inspect(x, _), do: x
  end
  test "adds" do
    assert 1
  end
end
defprotocol P do
  def m(x)
end
